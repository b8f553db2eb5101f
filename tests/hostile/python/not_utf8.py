# expect: S024
x = 'ÿ'
