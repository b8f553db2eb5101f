;;@ expect: C010 C016 C034
;; More modules than the encoder makes.
(component (core module $m0 (func))(core module $m1 (func))(core module $m2 (func))(core module $m3 (func))(core module $m4 (func)))
