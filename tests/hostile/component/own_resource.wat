;;@ expect: C010 C016 C036
;; Defines a resource and makes handles.
(component
  (type $r (resource (rep i32)))
  (core func $new (canon resource.new $r))
  (core func $drop (canon resource.drop $r)))
