;;@ expect: C007 C016
;; A function that may wait.
(component (import "assay:strategy/exchange@0.2.0" (instance (export "position" (func async (result s64))))))
