; Wrong as a total order: QDB gives both zeros one key, so -0.0 does not come before +0.0. That is
; the only counterexample among numbers.
; Rust: engine::keys::historical::qdb::encode_f64.
(set-logic QF_BVFP)
(set-info :status sat)

(define-fun number ((v (_ BitVec 64))) Float64 ((_ to_fp 11 53) v))
(define-fun negative ((v (_ BitVec 64))) Bool (= ((_ extract 63 63) v) #b1))

; The key, its first byte in the highest bits.
(define-fun key ((v (_ BitVec 64))) (_ BitVec 64)
  (ite (fp.geq (number v) (_ +zero 11 53)) (bvor v #x8000000000000000) (bvnot v)))

; The order that the keys should have.
(define-fun before ((a (_ BitVec 64)) (b (_ BitVec 64))) Bool
  (or (fp.lt (number a) (number b))
      (and (fp.isZero (number a)) (fp.isZero (number b)) (negative a) (not (negative b)))))

; ---- Is there a pair that breaks the claim? ----
(declare-const a (_ BitVec 64))
(declare-const b (_ BitVec 64))
; Numbers only.
(assert (not (fp.isNaN (number a))))
(assert (not (fp.isNaN (number b))))
(assert (not (= (before a b) (bvult (key a) (key b)))))
(check-sat)
(get-value (a b))
