; Wrong: big-endian bytes of two's complement as they are. Negative numbers come last.
(set-logic QF_BV)
(set-info :status sat)

; The key, its first byte in the highest bits.
(define-fun key ((v (_ BitVec 64))) (_ BitVec 64)
  v)

; The order that the keys should have.
(define-fun before ((a (_ BitVec 64)) (b (_ BitVec 64))) Bool
  (bvslt a b))

; ---- Is there a pair that breaks the claim? ----
(declare-const a (_ BitVec 64))
(declare-const b (_ BitVec 64))
(assert (not (= (before a b) (bvult (key a) (key b)))))
(check-sat)
(get-value (a b))
