; The right key, and a question that forgets what a slot is.
(set-logic QF_BV)
(set-info :status sat)

(define-fun key ((day (_ BitVec 16)) (minute (_ BitVec 16))) (_ BitVec 16)
  (bvor (bvshl day #x000b) minute))

; The order that the keys should have.
(define-fun before ((d (_ BitVec 16)) (m (_ BitVec 16))
                    (e (_ BitVec 16)) (n (_ BitVec 16))) Bool
  (or (bvult d e) (and (= d e) (bvult m n))))

(declare-const day-a (_ BitVec 16))
(declare-const minute-a (_ BitVec 16))
(declare-const day-b (_ BitVec 16))
(declare-const minute-b (_ BitVec 16))

; Days that one byte holds, and any minutes.
(assert (and (bvule day-a #x00ff) (bvule day-b #x00ff)))

; Is there a pair on which the two orders disagree?
(assert (not (= (before day-a minute-a day-b minute-b)
                (bvult (key day-a minute-a) (key day-b minute-b)))))
(check-sat)
(get-value (day-a minute-a day-b minute-b))
