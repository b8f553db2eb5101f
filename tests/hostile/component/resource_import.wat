;;@ expect: C009 C010 C016
;; A resource under the name of a type.
(component (import "assay:strategy/types@0.2.0" (instance (export "side" (type (sub resource))))))
