; The wrong key, and a question that allows no slot at all.
(set-logic QF_BV)
(set-info :status unsat)

(define-fun key ((day (_ BitVec 16)) (minute (_ BitVec 16))) (_ BitVec 16)
  (bvor (bvshl day #x000a) minute))

; The order that the keys should have.
(define-fun before ((d (_ BitVec 16)) (m (_ BitVec 16))
                    (e (_ BitVec 16)) (n (_ BitVec 16))) Bool
  (or (bvult d e) (and (= d e) (bvult m n))))

(declare-const day-a (_ BitVec 16))
(declare-const minute-a (_ BitVec 16))
(declare-const day-b (_ BitVec 16))
(declare-const minute-b (_ BitVec 16))

; A slip: greater and less are exchanged for the minutes.
(assert (and (bvule day-a #x0006) (bvuge minute-a #x059f) (bvult minute-a #x059f)))
(assert (and (bvule day-b #x0006) (bvuge minute-b #x059f) (bvult minute-b #x059f)))

; Is there a pair on which the two orders disagree?
(assert (not (= (before day-a minute-a day-b minute-b)
                (bvult (key day-a minute-a) (key day-b minute-b)))))
(check-sat)
