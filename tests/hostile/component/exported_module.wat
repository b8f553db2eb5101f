;;@ expect: C010 C011 C016
;; Offers a core module.
(component (core module $m) (export "tool" (core module $m)))
