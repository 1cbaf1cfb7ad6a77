; Wrong: the sign bit is flipped, but the bytes are little-endian.
(set-logic QF_BV)
(set-info :status sat)

; The bytes in reverse: what a little-endian machine has in memory.
(define-fun swap ((v (_ BitVec 64))) (_ BitVec 64)
  (concat ((_ extract  7  0) v) ((_ extract 15  8) v) ((_ extract 23 16) v) ((_ extract 31 24) v)
          ((_ extract 39 32) v) ((_ extract 47 40) v) ((_ extract 55 48) v) ((_ extract 63 56) v)))

; The key, its first byte in the highest bits.
(define-fun key ((v (_ BitVec 64))) (_ BitVec 64)
  (swap (bvxor v #x8000000000000000)))

; The order that the keys should have.
(define-fun before ((a (_ BitVec 64)) (b (_ BitVec 64))) Bool
  (bvslt a b))

; ---- Is there a pair that breaks the claim? ----
(declare-const a (_ BitVec 64))
(declare-const b (_ BitVec 64))
(assert (not (= (before a b) (bvult (key a) (key b)))))
(check-sat)
(get-value (a b))
