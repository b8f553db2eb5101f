;;@ expect: C008 C010 C016
;; One more function in a known interface.
(component
  (import "assay:strategy/exchange@0.2.0" (instance
    (export "position" (func (result s64)))
    (export "withdraw" (func (param "amount" s64))))))
