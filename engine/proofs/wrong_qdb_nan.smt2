; Wrong: QDB does not ask for NaN. `NaN >= 0` is false, so a NaN without the sign bit is inverted
; like a negative number. It should lie above every number; it lands among the subnormal ones.
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
  (and (not (fp.isNaN (number a))) (fp.isNaN (number b))))

; ---- Is there a pair that breaks the claim? ----
(declare-const a (_ BitVec 64))
(declare-const b (_ BitVec 64))
; A normal positive number against a NaN without the sign bit, in either order.
(define-fun tried ((v (_ BitVec 64))) Bool
  (and (not (negative v)) (or (fp.isNaN (number v)) (fp.isNormal (number v)))))
(assert (tried a))
(assert (tried b))
(assert (not (= (fp.isNaN (number a)) (fp.isNaN (number b)))))
(assert (not (= (before a b) (bvult (key a) (key b)))))
(check-sat)
(get-value (a b))
