;;@ expect: C009 C010 C016
;; One parameter more.
(component (import "assay:strategy/exchange@0.2.0" (instance (export "wake-at" (func (param "time" u64) (param "again" bool))))))
