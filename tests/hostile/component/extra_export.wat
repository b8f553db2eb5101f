;;@ expect: C010 C011 C016
;; Offers a type that nobody asked for.
(component (type $t u64) (export "secret" (type $t)))
