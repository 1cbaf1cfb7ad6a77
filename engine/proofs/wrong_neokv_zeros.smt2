; Wrong as an order of numbers: NeoKV tests the sign bit, so the zeros are equal and their keys are
; not. The only counterexample is -0.0 and +0.0.
; Rust: engine::keys::historical::neokv::encode_f64.
(set-logic QF_BVFP)
(set-info :status sat)

(define-fun number ((v (_ BitVec 64))) Float64 ((_ to_fp 11 53) v))
(define-fun negative ((v (_ BitVec 64))) Bool (= ((_ extract 63 63) v) #b1))

; The key, its first byte in the highest bits.
(define-fun key ((v (_ BitVec 64))) (_ BitVec 64)
  (ite (negative v) (bvnot v) (bvxor v #x8000000000000000)))

; The order that the keys should have.
(define-fun before ((a (_ BitVec 64)) (b (_ BitVec 64))) Bool
  (fp.lt (number a) (number b)))

; ---- Is there a pair that breaks the claim? ----
(declare-const a (_ BitVec 64))
(declare-const b (_ BitVec 64))
; Numbers only.
(assert (not (fp.isNaN (number a))))
(assert (not (fp.isNaN (number b))))
(assert (not (= (before a b) (bvult (key a) (key b)))))
(check-sat)
(get-value (a b))
