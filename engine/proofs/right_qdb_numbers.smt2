; Right, without NaN: QDB tests the value and not the sign bit. Keys sort as `<` does, and equal
; numbers share a key. See wrong_qdb_nan for what happens with NaN.
; Rust: engine::keys::historical::qdb::encode_f64.
(set-logic QF_BVFP)
(set-info :status unsat)

(define-fun number ((v (_ BitVec 64))) Float64 ((_ to_fp 11 53) v))

; The key, its first byte in the highest bits.
(define-fun key ((v (_ BitVec 64))) (_ BitVec 64)
  (ite (fp.geq (number v) (_ +zero 11 53)) (bvor v #x8000000000000000) (bvnot v)))

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
  (not (= (fp.eq (number a) (number b)) (= (key a) (key b)))) ; one key for equal numbers
))
(check-sat)
