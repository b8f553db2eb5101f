;;@ expect: C010 C013
;; An entry point with a string.
(component
  (core module $m
    (memory (export "memory") 1)
    (func (export "f") (param i32 i32))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) i32.const 0))
  (core instance $i (instantiate $m))
  (alias core export $i "f" (core func $f))
  (alias core export $i "realloc" (core func $r))
  (alias core export $i "memory" (core memory $memory))
  (func $lifted (param "now" string) (canon lift (core func $f) (memory $memory) (realloc $r)))
  (export "on-tick" (func $lifted)))
