;;@ expect: C007 C016 C036
;; A start definition, which no engine has.
(component (core module $m (func (export "f"))) (core instance $i (instantiate $m)) (func $f (canon lift (core func $i "f"))) (start $f))
