; Right: flip the sign bit, then invert every bit. Keys sort from the greatest number down.
; Rust: engine::keys::descending(encode_i64(v)), and the key of Desc<i64>.
(set-logic QF_BV)
(set-info :status unsat)

; The key, its first byte in the highest bits.
(define-fun key ((v (_ BitVec 64))) (_ BitVec 64)
  (bvnot (bvxor v #x8000000000000000)))

; The order that the keys should have.
(define-fun before ((a (_ BitVec 64)) (b (_ BitVec 64))) Bool
  (bvsgt a b))

; ---- Is there a pair that breaks the claim? ----
(declare-const a (_ BitVec 64))
(declare-const b (_ BitVec 64))
(assert (not (= (before a b) (bvult (key a) (key b)))))
(check-sat)
