;;@ expect: C009 C010 C016
;; A function under the name of the interface.
(component (import "assay:strategy/exchange@0.2.0" (func)))
