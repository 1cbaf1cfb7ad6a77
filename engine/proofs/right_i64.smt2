; Right: flip the sign bit. Keys sort as signed numbers do, and every number
; comes back.
; Rust: engine::keys::encode_i64, decode_i64.
(set-logic QF_BV)
(set-info :status unsat)

; The way back.
(define-fun value ((k (_ BitVec 64))) (_ BitVec 64) (bvxor k #x8000000000000000))

; The key, its first byte in the highest bits.
(define-fun key ((v (_ BitVec 64))) (_ BitVec 64)
  (bvxor v #x8000000000000000))

; The order that the keys should have.
(define-fun before ((a (_ BitVec 64)) (b (_ BitVec 64))) Bool
  (bvslt a b))

; ---- Is there a pair that breaks the claim? ----
(declare-const a (_ BitVec 64))
(declare-const b (_ BitVec 64))
(assert (or
  (not (= (before a b) (bvult (key a) (key b)))) ; the order
  (not (= (value (key a)) a))                    ; the way back
))
(check-sat)
