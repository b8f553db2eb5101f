;;@ expect: C008 C010 C016
;; Asks for the terminal and the environment.
(component
  (import "wasi:cli/environment@0.2.0" (instance (export "get-environment" (func (result (list (tuple string string)))))))
  (import "wasi:io/poll@0.2.0" (instance)))
