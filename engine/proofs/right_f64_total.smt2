; Right: a set sign bit inverts everything, a clear one is set. Keys sort in the total order:
; numbers as numbers, -0.0 before +0.0, NaNs outside the infinities on the side of their sign, a
; greater payload farther out. Every bit pattern comes back.
; Rust: engine::keys::encode_f64, decode_f64.
(set-logic QF_BVFP)
(set-info :status unsat)

(define-fun number ((v (_ BitVec 64))) Float64 ((_ to_fp 11 53) v))
(define-fun negative ((v (_ BitVec 64))) Bool (= ((_ extract 63 63) v) #b1))

; Where a value lies: 0 NaNs with the sign bit, 1 numbers, 2 the other NaNs.
(define-fun zone ((v (_ BitVec 64))) (_ BitVec 2)
  (ite (not (fp.isNaN (number v))) #b01 (ite (negative v) #b00 #b10)))
(define-fun payload ((v (_ BitVec 64))) (_ BitVec 52) ((_ extract 51 0) v))

; The way back.
(define-fun value ((k (_ BitVec 64))) (_ BitVec 64)
  (ite (= ((_ extract 63 63) k) #b1) (bvxor k #x8000000000000000) (bvnot k)))

; The key, its first byte in the highest bits.
(define-fun key ((v (_ BitVec 64))) (_ BitVec 64)
  (ite (negative v) (bvnot v) (bvor v #x8000000000000000)))

; The order that the keys should have.
(define-fun before ((a (_ BitVec 64)) (b (_ BitVec 64))) Bool
  (ite (not (= (zone a) (zone b))) (bvult (zone a) (zone b))
  (ite (= (zone a) #b00) (bvugt (payload a) (payload b))
  (ite (= (zone a) #b10) (bvult (payload a) (payload b))
  (or (fp.lt (number a) (number b))
      (and (fp.isZero (number a)) (fp.isZero (number b)) (negative a) (not (negative b))))))))

; ---- Is there a pair that breaks the claim? ----
(declare-const a (_ BitVec 64))
(declare-const b (_ BitVec 64))
(assert (or
  (not (= (before a b) (bvult (key a) (key b)))) ; the order
  (not (= (value (key a)) a))                    ; the way back
))
(check-sat)
