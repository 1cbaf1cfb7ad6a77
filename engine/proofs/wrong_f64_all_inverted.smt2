; Wrong: every bit inverted. Positive numbers run backwards.
(set-logic QF_BVFP)
(set-info :status sat)

(define-fun number ((v (_ BitVec 64))) Float64 ((_ to_fp 11 53) v))

; The key, its first byte in the highest bits.
(define-fun key ((v (_ BitVec 64))) (_ BitVec 64)
  (bvnot v))

; The order that the keys should have.
(define-fun before ((a (_ BitVec 64)) (b (_ BitVec 64))) Bool
  (fp.lt (number a) (number b)))

; ---- Is there a pair that breaks the claim? ----
(declare-const a (_ BitVec 64))
(declare-const b (_ BitVec 64))
; Numbers only, and not the zeros: wrong_neokv_zeros is about those.
(assert (not (or (fp.isNaN (number a)) (fp.isZero (number a)))))
(assert (not (or (fp.isNaN (number b)) (fp.isZero (number b)))))
(assert (not (= (before a b) (bvult (key a) (key b)))))
(check-sat)
(get-value (a b))
