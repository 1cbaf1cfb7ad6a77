; Right: -0.0 becomes +0.0, then as in the total order. Without NaN, keys sort as
; `<` does, and two numbers share a key exactly when they are equal.
; Rust: engine::keys::encode_f64_numeric.
(set-logic QF_BVFP)
(set-info :status unsat)

(define-fun number ((v (_ BitVec 64))) Float64 ((_ to_fp 11 53) v))
(define-fun negative ((v (_ BitVec 64))) Bool (= ((_ extract 63 63) v) #b1))

(define-fun one-zero ((v (_ BitVec 64))) (_ BitVec 64)
  (ite (fp.isZero (number v)) #x0000000000000000 v))

; The key, its first byte in the highest bits.
(define-fun key ((v (_ BitVec 64))) (_ BitVec 64)
  (ite (negative (one-zero v))
    (bvnot (one-zero v))
    (bvor (one-zero v) #x8000000000000000)))

; The order that the keys should have.
(define-fun before ((a (_ BitVec 64)) (b (_ BitVec 64))) Bool
  (fp.lt (number a) (number b)))

; ---- Is there a pair that breaks the claim? ----
(declare-const a (_ BitVec 64))
(declare-const b (_ BitVec 64))
; Numbers only.
(assert (not (fp.isNaN (number a))))
(assert (not (fp.isNaN (number b))))
(assert (or
  (not (= (before a b) (bvult (key a) (key b)))) ; the order
  (not (= (fp.eq (number a) (number b)) (= (key a) (key b)))) ; one key if equal
))
(check-sat)
