;;@ expect: C010 C035
;; Strings in another encoding.
(component
  (import "assay:strategy/exchange@0.2.0" (instance $e (export "log" (func (param "message" string)))))
  (alias export $e "log" (func $log))
  (core module $m (memory (export "memory") 1))
  (core instance $i (instantiate $m))
  (alias core export $i "memory" (core memory $memory))
  (core func (canon lower (func $log) (memory $memory) string-encoding=utf16)))
