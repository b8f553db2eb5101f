//! Line 0 of a long introduction.
//! Line 1 of a long introduction.
//! Line 2 of a long introduction.
//! Line 3 of a long introduction.
//! Line 4 of a long introduction.
//! Line 5 of a long introduction.
//! Line 6 of a long introduction.
//! Line 7 of a long introduction.
//! Line 8 of a long introduction.
//! Line 9 of a long introduction.
//! Line 10 of a long introduction.
//! Line 11 of a long introduction.
//! Line 12 of a long introduction.
//! Line 13 of a long introduction.
//! Line 14 of a long introduction.
//! Line 15 of a long introduction.
//! Line 16 of a long introduction.
//! Line 17 of a long introduction.
//! Line 18 of a long introduction.
//! Line 19 of a long introduction.
//! Line 20 of a long introduction.
//! Line 21 of a long introduction.
//! Line 22 of a long introduction.
//! Line 23 of a long introduction.
//! Line 24 of a long introduction.
//! Line 25 of a long introduction.
//! Line 26 of a long introduction.
//! Line 27 of a long introduction.
//! Line 28 of a long introduction.
//! Line 29 of a long introduction.
//! Line 30 of a long introduction.
//! Line 31 of a long introduction.
//! Line 32 of a long introduction.
//! Line 33 of a long introduction.
//! Line 34 of a long introduction.
//! Line 35 of a long introduction.
//! Line 36 of a long introduction.
//! Line 37 of a long introduction.
//! Line 38 of a long introduction.
//! Line 39 of a long introduction.
//! Line 40 of a long introduction.
//! Line 41 of a long introduction.
//! Line 42 of a long introduction.
//! Line 43 of a long introduction.
//! Line 44 of a long introduction.
//! Line 45 of a long introduction.
//! Line 46 of a long introduction.
//! Line 47 of a long introduction.
//! Line 48 of a long introduction.
//! Line 49 of a long introduction.
//! Line 50 of a long introduction.
//! Line 51 of a long introduction.
//! Line 52 of a long introduction.
//! Line 53 of a long introduction.
//! Line 54 of a long introduction.
//! Line 55 of a long introduction.
//! Line 56 of a long introduction.
//! Line 57 of a long introduction.
//! Line 58 of a long introduction.
//! Line 59 of a long introduction.
//! Line 60 of a long introduction.
//! Line 61 of a long introduction.
//! Line 62 of a long introduction.
//! Line 63 of a long introduction.
//! Line 64 of a long introduction.
//! Line 65 of a long introduction.
//! Line 66 of a long introduction.
//! Line 67 of a long introduction.
//! Line 68 of a long introduction.
//! Line 69 of a long introduction.
//! Line 70 of a long introduction.
//! Line 71 of a long introduction.
//! Line 72 of a long introduction.
//! Line 73 of a long introduction.
//! Line 74 of a long introduction.
//! Line 75 of a long introduction.
//! Line 76 of a long introduction.
//! Line 77 of a long introduction.
//! Line 78 of a long introduction.
//! Line 79 of a long introduction.
//! Line 80 of a long introduction.
//! Line 81 of a long introduction.
//! Line 82 of a long introduction.
//! Line 83 of a long introduction.
//! Line 84 of a long introduction.
//! Line 85 of a long introduction.
//! Line 86 of a long introduction.
//! Line 87 of a long introduction.
//! Line 88 of a long introduction.
//! Line 89 of a long introduction.
//! Line 90 of a long introduction.
//! Line 91 of a long introduction.
//! Line 92 of a long introduction.
//! Line 93 of a long introduction.
//! Line 94 of a long introduction.
//! Line 95 of a long introduction.
//! Line 96 of a long introduction.
//! Line 97 of a long introduction.
//! Line 98 of a long introduction.
//! Line 99 of a long introduction.
//! Line 100 of a long introduction.
//! Line 101 of a long introduction.
//! Line 102 of a long introduction.
//! Line 103 of a long introduction.
//! Line 104 of a long introduction.
//! Line 105 of a long introduction.
//! Line 106 of a long introduction.
//! Line 107 of a long introduction.
//! Line 108 of a long introduction.
//! Line 109 of a long introduction.
//! Line 110 of a long introduction.
//! Line 111 of a long introduction.
//! Line 112 of a long introduction.
//! Line 113 of a long introduction.
//! Line 114 of a long introduction.
//! Line 115 of a long introduction.
//! Line 116 of a long introduction.
//! Line 117 of a long introduction.
//! Line 118 of a long introduction.
//! Line 119 of a long introduction.
//! Line 120 of a long introduction.
//! Line 121 of a long introduction.
//! Line 122 of a long introduction.
//! Line 123 of a long introduction.
//! Line 124 of a long introduction.
//! Line 125 of a long introduction.
//! Line 126 of a long introduction.
//! Line 127 of a long introduction.
//! Line 128 of a long introduction.
//! Line 129 of a long introduction.
//! Line 130 of a long introduction.
//! Line 131 of a long introduction.
//! Line 132 of a long introduction.
//! Line 133 of a long introduction.
//! Line 134 of a long introduction.
//! Line 135 of a long introduction.
//! Line 136 of a long introduction.
//! Line 137 of a long introduction.
//! Line 138 of a long introduction.
//! Line 139 of a long introduction.
//! Line 140 of a long introduction.
//! Line 141 of a long introduction.
//! Line 142 of a long introduction.
//! Line 143 of a long introduction.
//! Line 144 of a long introduction.
//! Line 145 of a long introduction.
//! Line 146 of a long introduction.
//! Line 147 of a long introduction.
//! Line 148 of a long introduction.
//! Line 149 of a long introduction.
//! Line 150 of a long introduction.
//! Line 151 of a long introduction.
//! Line 152 of a long introduction.
//! Line 153 of a long introduction.
//! Line 154 of a long introduction.
//! Line 155 of a long introduction.
//! Line 156 of a long introduction.
//! Line 157 of a long introduction.
//! Line 158 of a long introduction.
//! Line 159 of a long introduction.
//! Line 160 of a long introduction.
//! Line 161 of a long introduction.
//! Line 162 of a long introduction.
//! Line 163 of a long introduction.
//! Line 164 of a long introduction.
//! Line 165 of a long introduction.
//! Line 166 of a long introduction.
//! Line 167 of a long introduction.
//! Line 168 of a long introduction.
//! Line 169 of a long introduction.
//! Line 170 of a long introduction.
//! Line 171 of a long introduction.
//! Line 172 of a long introduction.
//! Line 173 of a long introduction.
//! Line 174 of a long introduction.
//! Line 175 of a long introduction.
//! Line 176 of a long introduction.
//! Line 177 of a long introduction.
//! Line 178 of a long introduction.
//! Line 179 of a long introduction.
//! Line 180 of a long introduction.
//! Line 181 of a long introduction.
//! Line 182 of a long introduction.
//! Line 183 of a long introduction.
//! Line 184 of a long introduction.
//! Line 185 of a long introduction.
//! Line 186 of a long introduction.
//! Line 187 of a long introduction.
//! Line 188 of a long introduction.
//! Line 189 of a long introduction.
//! Line 190 of a long introduction.
//! Line 191 of a long introduction.
//! Line 192 of a long introduction.
//! Line 193 of a long introduction.
//! Line 194 of a long introduction.
//! Line 195 of a long introduction.
//! Line 196 of a long introduction.
//! Line 197 of a long introduction.
//! Line 198 of a long introduction.
//! Line 199 of a long introduction.
//! Line 200 of a long introduction.
//! Line 201 of a long introduction.
//! Line 202 of a long introduction.
//! Line 203 of a long introduction.
//! Line 204 of a long introduction.
//! Line 205 of a long introduction.
//! Line 206 of a long introduction.
//! Line 207 of a long introduction.
//! Line 208 of a long introduction.
//! Line 209 of a long introduction.
//! Line 210 of a long introduction.
//! Line 211 of a long introduction.
//! Line 212 of a long introduction.
//! Line 213 of a long introduction.
//! Line 214 of a long introduction.
//! Line 215 of a long introduction.
//! Line 216 of a long introduction.
//! Line 217 of a long introduction.
//! Line 218 of a long introduction.
//! Line 219 of a long introduction.
//! Line 220 of a long introduction.
//! Line 221 of a long introduction.
//! Line 222 of a long introduction.
//! Line 223 of a long introduction.
//! Line 224 of a long introduction.
//! Line 225 of a long introduction.
//! Line 226 of a long introduction.
//! Line 227 of a long introduction.
//! Line 228 of a long introduction.
//! Line 229 of a long introduction.
//! Line 230 of a long introduction.
//! Line 231 of a long introduction.
//! Line 232 of a long introduction.
//! Line 233 of a long introduction.
//! Line 234 of a long introduction.
//! Line 235 of a long introduction.
//! Line 236 of a long introduction.
//! Line 237 of a long introduction.
//! Line 238 of a long introduction.
//! Line 239 of a long introduction.
//! Line 240 of a long introduction.
//! Line 241 of a long introduction.
//! Line 242 of a long introduction.
//! Line 243 of a long introduction.
//! Line 244 of a long introduction.
//! Line 245 of a long introduction.
//! Line 246 of a long introduction.
//! Line 247 of a long introduction.
//! Line 248 of a long introduction.
//! Line 249 of a long introduction.
//! Line 250 of a long introduction.
//! Line 251 of a long introduction.
//! Line 252 of a long introduction.
//! Line 253 of a long introduction.
//! Line 254 of a long introduction.
//! Line 255 of a long introduction.
//! Line 256 of a long introduction.
//! Line 257 of a long introduction.
//! Line 258 of a long introduction.
//! Line 259 of a long introduction.
//! Line 260 of a long introduction.
//! Line 261 of a long introduction.
//! Line 262 of a long introduction.
//! Line 263 of a long introduction.
//! Line 264 of a long introduction.
//! Line 265 of a long introduction.
//! Line 266 of a long introduction.
//! Line 267 of a long introduction.
//! Line 268 of a long introduction.
//! Line 269 of a long introduction.
//! Line 270 of a long introduction.
//! Line 271 of a long introduction.
//! Line 272 of a long introduction.
//! Line 273 of a long introduction.
//! Line 274 of a long introduction.
//! Line 275 of a long introduction.
//! Line 276 of a long introduction.
//! Line 277 of a long introduction.
//! Line 278 of a long introduction.
//! Line 279 of a long introduction.
//! Line 280 of a long introduction.
//! Line 281 of a long introduction.
//! Line 282 of a long introduction.
//! Line 283 of a long introduction.
//! Line 284 of a long introduction.
//! Line 285 of a long introduction.
//! Line 286 of a long introduction.
//! Line 287 of a long introduction.
//! Line 288 of a long introduction.
//! Line 289 of a long introduction.
//! Line 290 of a long introduction.
//! Line 291 of a long introduction.
//! Line 292 of a long introduction.
//! Line 293 of a long introduction.
//! Line 294 of a long introduction.
//! Line 295 of a long introduction.
//! Line 296 of a long introduction.
//! Line 297 of a long introduction.
//! Line 298 of a long introduction.
//! Line 299 of a long introduction.
//! Line 300 of a long introduction.
//! Line 301 of a long introduction.
//! Line 302 of a long introduction.
//! Line 303 of a long introduction.
//! Line 304 of a long introduction.
//! Line 305 of a long introduction.
//! Line 306 of a long introduction.
//! Line 307 of a long introduction.
//! Line 308 of a long introduction.
//! Line 309 of a long introduction.
//! Line 310 of a long introduction.
//! Line 311 of a long introduction.
//! Line 312 of a long introduction.
//! Line 313 of a long introduction.
//! Line 314 of a long introduction.
//! Line 315 of a long introduction.
//! Line 316 of a long introduction.
//! Line 317 of a long introduction.
//! Line 318 of a long introduction.
//! Line 319 of a long introduction.
//! Line 320 of a long introduction.
//! Line 321 of a long introduction.
//! Line 322 of a long introduction.
//! Line 323 of a long introduction.
//! Line 324 of a long introduction.
//! Line 325 of a long introduction.
//! Line 326 of a long introduction.
//! Line 327 of a long introduction.
//! Line 328 of a long introduction.
//! Line 329 of a long introduction.
//! Line 330 of a long introduction.
//! Line 331 of a long introduction.
//! Line 332 of a long introduction.
//! Line 333 of a long introduction.
//! Line 334 of a long introduction.
//! Line 335 of a long introduction.
//! Line 336 of a long introduction.
//! Line 337 of a long introduction.
//! Line 338 of a long introduction.
//! Line 339 of a long introduction.
//! Line 340 of a long introduction.
//! Line 341 of a long introduction.
//! Line 342 of a long introduction.
//! Line 343 of a long introduction.
//! Line 344 of a long introduction.
//! Line 345 of a long introduction.
//! Line 346 of a long introduction.
//! Line 347 of a long introduction.
//! Line 348 of a long introduction.
//! Line 349 of a long introduction.
//! Line 350 of a long introduction.
//! Line 351 of a long introduction.
//! Line 352 of a long introduction.
//! Line 353 of a long introduction.
//! Line 354 of a long introduction.
//! Line 355 of a long introduction.
//! Line 356 of a long introduction.
//! Line 357 of a long introduction.
//! Line 358 of a long introduction.
//! Line 359 of a long introduction.
//! Line 360 of a long introduction.
//! Line 361 of a long introduction.
//! Line 362 of a long introduction.
//! Line 363 of a long introduction.
//! Line 364 of a long introduction.
//! Line 365 of a long introduction.
//! Line 366 of a long introduction.
//! Line 367 of a long introduction.
//! Line 368 of a long introduction.
//! Line 369 of a long introduction.
//! Line 370 of a long introduction.
//! Line 371 of a long introduction.
//! Line 372 of a long introduction.
//! Line 373 of a long introduction.
//! Line 374 of a long introduction.
//! Line 375 of a long introduction.
//! Line 376 of a long introduction.
//! Line 377 of a long introduction.
//! Line 378 of a long introduction.
//! Line 379 of a long introduction.
//! Line 380 of a long introduction.
//! Line 381 of a long introduction.
//! Line 382 of a long introduction.
//! Line 383 of a long introduction.
//! Line 384 of a long introduction.
//! Line 385 of a long introduction.
//! Line 386 of a long introduction.
//! Line 387 of a long introduction.
//! Line 388 of a long introduction.
//! Line 389 of a long introduction.
//! Line 390 of a long introduction.
//! Line 391 of a long introduction.
//! Line 392 of a long introduction.
//! Line 393 of a long introduction.
//! Line 394 of a long introduction.
//! Line 395 of a long introduction.
//! Line 396 of a long introduction.
//! Line 397 of a long introduction.
//! Line 398 of a long introduction.
//! Line 399 of a long introduction.
//! Line 400 of a long introduction.
//! Line 401 of a long introduction.
//! Line 402 of a long introduction.
//! Line 403 of a long introduction.
//! Line 404 of a long introduction.
//! Line 405 of a long introduction.
//! Line 406 of a long introduction.
//! Line 407 of a long introduction.
//! Line 408 of a long introduction.
//! Line 409 of a long introduction.
//! Line 410 of a long introduction.
//! Line 411 of a long introduction.
//! Line 412 of a long introduction.
//! Line 413 of a long introduction.
//! Line 414 of a long introduction.
//! Line 415 of a long introduction.
//! Line 416 of a long introduction.
//! Line 417 of a long introduction.
//! Line 418 of a long introduction.
//! Line 419 of a long introduction.
//! Line 420 of a long introduction.
//! Line 421 of a long introduction.
//! Line 422 of a long introduction.
//! Line 423 of a long introduction.
//! Line 424 of a long introduction.
//! Line 425 of a long introduction.
//! Line 426 of a long introduction.
//! Line 427 of a long introduction.
//! Line 428 of a long introduction.
//! Line 429 of a long introduction.
//! Line 430 of a long introduction.
//! Line 431 of a long introduction.
//! Line 432 of a long introduction.
//! Line 433 of a long introduction.
//! Line 434 of a long introduction.
//! Line 435 of a long introduction.
//! Line 436 of a long introduction.
//! Line 437 of a long introduction.
//! Line 438 of a long introduction.
//! Line 439 of a long introduction.
//! Line 440 of a long introduction.
//! Line 441 of a long introduction.
//! Line 442 of a long introduction.
//! Line 443 of a long introduction.
//! Line 444 of a long introduction.
//! Line 445 of a long introduction.
//! Line 446 of a long introduction.
//! Line 447 of a long introduction.
//! Line 448 of a long introduction.
//! Line 449 of a long introduction.
//! Line 450 of a long introduction.
//! Line 451 of a long introduction.
//! Line 452 of a long introduction.
//! Line 453 of a long introduction.
//! Line 454 of a long introduction.
//! Line 455 of a long introduction.
//! Line 456 of a long introduction.
//! Line 457 of a long introduction.
//! Line 458 of a long introduction.
//! Line 459 of a long introduction.
//! Line 460 of a long introduction.
//! Line 461 of a long introduction.
//! Line 462 of a long introduction.
//! Line 463 of a long introduction.
//! Line 464 of a long introduction.
//! Line 465 of a long introduction.
//! Line 466 of a long introduction.
//! Line 467 of a long introduction.
//! Line 468 of a long introduction.
//! Line 469 of a long introduction.
//! Line 470 of a long introduction.
//! Line 471 of a long introduction.
//! Line 472 of a long introduction.
//! Line 473 of a long introduction.
//! Line 474 of a long introduction.
//! Line 475 of a long introduction.
//! Line 476 of a long introduction.
//! Line 477 of a long introduction.
//! Line 478 of a long introduction.
//! Line 479 of a long introduction.
//! Line 480 of a long introduction.
//! Line 481 of a long introduction.
//! Line 482 of a long introduction.
//! Line 483 of a long introduction.
//! Line 484 of a long introduction.
//! Line 485 of a long introduction.
//! Line 486 of a long introduction.
//! Line 487 of a long introduction.
//! Line 488 of a long introduction.
//! Line 489 of a long introduction.
//! Line 490 of a long introduction.
//! Line 491 of a long introduction.
//! Line 492 of a long introduction.
//! Line 493 of a long introduction.
//! Line 494 of a long introduction.
//! Line 495 of a long introduction.
//! Line 496 of a long introduction.
//! Line 497 of a long introduction.
//! Line 498 of a long introduction.
//! Line 499 of a long introduction.
//! Line 500 of a long introduction.
//! Line 501 of a long introduction.
//! Line 502 of a long introduction.
//! Line 503 of a long introduction.
//! Line 504 of a long introduction.
//! Line 505 of a long introduction.
//! Line 506 of a long introduction.
//! Line 507 of a long introduction.
//! Line 508 of a long introduction.
//! Line 509 of a long introduction.
//! Line 510 of a long introduction.
//! Line 511 of a long introduction.
//! Line 512 of a long introduction.
//! Line 513 of a long introduction.
//! Line 514 of a long introduction.
//! Line 515 of a long introduction.
//! Line 516 of a long introduction.
//! Line 517 of a long introduction.
//! Line 518 of a long introduction.
//! Line 519 of a long introduction.
//! Line 520 of a long introduction.
//! Line 521 of a long introduction.
//! Line 522 of a long introduction.
//! Line 523 of a long introduction.
//! Line 524 of a long introduction.
//! Line 525 of a long introduction.
//! Line 526 of a long introduction.
//! Line 527 of a long introduction.
//! Line 528 of a long introduction.
//! Line 529 of a long introduction.
//! Line 530 of a long introduction.
//! Line 531 of a long introduction.
//! Line 532 of a long introduction.
//! Line 533 of a long introduction.
//! Line 534 of a long introduction.
//! Line 535 of a long introduction.
//! Line 536 of a long introduction.
//! Line 537 of a long introduction.
//! Line 538 of a long introduction.
//! Line 539 of a long introduction.
//! Line 540 of a long introduction.
//! Line 541 of a long introduction.
//! Line 542 of a long introduction.
//! Line 543 of a long introduction.
//! Line 544 of a long introduction.
//! Line 545 of a long introduction.
//! Line 546 of a long introduction.
//! Line 547 of a long introduction.
//! Line 548 of a long introduction.
//! Line 549 of a long introduction.
//! Line 550 of a long introduction.
//! Line 551 of a long introduction.
//! Line 552 of a long introduction.
//! Line 553 of a long introduction.
//! Line 554 of a long introduction.
//! Line 555 of a long introduction.
//! Line 556 of a long introduction.
//! Line 557 of a long introduction.
//! Line 558 of a long introduction.
//! Line 559 of a long introduction.
//! Line 560 of a long introduction.
//! Line 561 of a long introduction.
//! Line 562 of a long introduction.
//! Line 563 of a long introduction.
//! Line 564 of a long introduction.
//! Line 565 of a long introduction.
//! Line 566 of a long introduction.
//! Line 567 of a long introduction.
//! Line 568 of a long introduction.
//! Line 569 of a long introduction.
//! Line 570 of a long introduction.
//! Line 571 of a long introduction.
//! Line 572 of a long introduction.
//! Line 573 of a long introduction.
//! Line 574 of a long introduction.
//! Line 575 of a long introduction.
//! Line 576 of a long introduction.
//! Line 577 of a long introduction.
//! Line 578 of a long introduction.
//! Line 579 of a long introduction.
//! Line 580 of a long introduction.
//! Line 581 of a long introduction.
//! Line 582 of a long introduction.
//! Line 583 of a long introduction.
//! Line 584 of a long introduction.
//! Line 585 of a long introduction.
//! Line 586 of a long introduction.
//! Line 587 of a long introduction.
//! Line 588 of a long introduction.
//! Line 589 of a long introduction.
//! Line 590 of a long introduction.
//! Line 591 of a long introduction.
//! Line 592 of a long introduction.
//! Line 593 of a long introduction.
//! Line 594 of a long introduction.
//! Line 595 of a long introduction.
//! Line 596 of a long introduction.
//! Line 597 of a long introduction.
//! Line 598 of a long introduction.
//! Line 599 of a long introduction.
//! Line 600 of a long introduction.
//! Line 601 of a long introduction.
//! Line 602 of a long introduction.
//! Line 603 of a long introduction.
//! Line 604 of a long introduction.
//! Line 605 of a long introduction.
//! Line 606 of a long introduction.
//! Line 607 of a long introduction.
//! Line 608 of a long introduction.
//! Line 609 of a long introduction.
//! Line 610 of a long introduction.
//! Line 611 of a long introduction.
//! Line 612 of a long introduction.
//! Line 613 of a long introduction.
//! Line 614 of a long introduction.
//! Line 615 of a long introduction.
//! Line 616 of a long introduction.
//! Line 617 of a long introduction.
//! Line 618 of a long introduction.
//! Line 619 of a long introduction.
//! Line 620 of a long introduction.
//! Line 621 of a long introduction.
//! Line 622 of a long introduction.
//! Line 623 of a long introduction.
//! Line 624 of a long introduction.
//! Line 625 of a long introduction.
//! Line 626 of a long introduction.
//! Line 627 of a long introduction.
//! Line 628 of a long introduction.
//! Line 629 of a long introduction.
//! Line 630 of a long introduction.
//! Line 631 of a long introduction.
//! Line 632 of a long introduction.
//! Line 633 of a long introduction.
//! Line 634 of a long introduction.
//! Line 635 of a long introduction.
//! Line 636 of a long introduction.
//! Line 637 of a long introduction.
//! Line 638 of a long introduction.
//! Line 639 of a long introduction.
//! Line 640 of a long introduction.
//! Line 641 of a long introduction.
//! Line 642 of a long introduction.
//! Line 643 of a long introduction.
//! Line 644 of a long introduction.
//! Line 645 of a long introduction.
//! Line 646 of a long introduction.
//! Line 647 of a long introduction.
//! Line 648 of a long introduction.
//! Line 649 of a long introduction.
//! Line 650 of a long introduction.
//! Line 651 of a long introduction.
//! Line 652 of a long introduction.
//! Line 653 of a long introduction.
//! Line 654 of a long introduction.
//! Line 655 of a long introduction.
//! Line 656 of a long introduction.
//! Line 657 of a long introduction.
//! Line 658 of a long introduction.
//! Line 659 of a long introduction.
//! Line 660 of a long introduction.
//! Line 661 of a long introduction.
//! Line 662 of a long introduction.
//! Line 663 of a long introduction.
//! Line 664 of a long introduction.
//! Line 665 of a long introduction.
//! Line 666 of a long introduction.
//! Line 667 of a long introduction.
//! Line 668 of a long introduction.
//! Line 669 of a long introduction.
//! Line 670 of a long introduction.
//! Line 671 of a long introduction.
//! Line 672 of a long introduction.
//! Line 673 of a long introduction.
//! Line 674 of a long introduction.
//! Line 675 of a long introduction.
//! Line 676 of a long introduction.
//! Line 677 of a long introduction.
//! Line 678 of a long introduction.
//! Line 679 of a long introduction.
//! Line 680 of a long introduction.
//! Line 681 of a long introduction.
//! Line 682 of a long introduction.
//! Line 683 of a long introduction.
//! Line 684 of a long introduction.
//! Line 685 of a long introduction.
//! Line 686 of a long introduction.
//! Line 687 of a long introduction.
//! Line 688 of a long introduction.
//! Line 689 of a long introduction.
//! Line 690 of a long introduction.
//! Line 691 of a long introduction.
//! Line 692 of a long introduction.
//! Line 693 of a long introduction.
//! Line 694 of a long introduction.
//! Line 695 of a long introduction.
//! Line 696 of a long introduction.
//! Line 697 of a long introduction.
//! Line 698 of a long introduction.
//! Line 699 of a long introduction.
//! Line 700 of a long introduction.
//! Line 701 of a long introduction.
//! Line 702 of a long introduction.
//! Line 703 of a long introduction.
//! Line 704 of a long introduction.
//! Line 705 of a long introduction.
//! Line 706 of a long introduction.
//! Line 707 of a long introduction.
//! Line 708 of a long introduction.
//! Line 709 of a long introduction.
//! Line 710 of a long introduction.
//! Line 711 of a long introduction.
//! Line 712 of a long introduction.
//! Line 713 of a long introduction.
//! Line 714 of a long introduction.
//! Line 715 of a long introduction.
//! Line 716 of a long introduction.
//! Line 717 of a long introduction.
//! Line 718 of a long introduction.
//! Line 719 of a long introduction.
//! Line 720 of a long introduction.
//! Line 721 of a long introduction.
//! Line 722 of a long introduction.
//! Line 723 of a long introduction.
//! Line 724 of a long introduction.
//! Line 725 of a long introduction.
//! Line 726 of a long introduction.
//! Line 727 of a long introduction.
//! Line 728 of a long introduction.
//! Line 729 of a long introduction.
//! Line 730 of a long introduction.
//! Line 731 of a long introduction.
//! Line 732 of a long introduction.
//! Line 733 of a long introduction.
//! Line 734 of a long introduction.
//! Line 735 of a long introduction.
//! Line 736 of a long introduction.
//! Line 737 of a long introduction.
//! Line 738 of a long introduction.
//! Line 739 of a long introduction.
//! Line 740 of a long introduction.
//! Line 741 of a long introduction.
//! Line 742 of a long introduction.
//! Line 743 of a long introduction.
//! Line 744 of a long introduction.
//! Line 745 of a long introduction.
//! Line 746 of a long introduction.
//! Line 747 of a long introduction.
//! Line 748 of a long introduction.
//! Line 749 of a long introduction.
//! Line 750 of a long introduction.
//! Line 751 of a long introduction.
//! Line 752 of a long introduction.
//! Line 753 of a long introduction.
//! Line 754 of a long introduction.
//! Line 755 of a long introduction.
//! Line 756 of a long introduction.
//! Line 757 of a long introduction.
//! Line 758 of a long introduction.
//! Line 759 of a long introduction.
//! Line 760 of a long introduction.
//! Line 761 of a long introduction.
//! Line 762 of a long introduction.
//! Line 763 of a long introduction.
//! Line 764 of a long introduction.
//! Line 765 of a long introduction.
//! Line 766 of a long introduction.
//! Line 767 of a long introduction.
//! Line 768 of a long introduction.
//! Line 769 of a long introduction.
//! Line 770 of a long introduction.
//! Line 771 of a long introduction.
//! Line 772 of a long introduction.
//! Line 773 of a long introduction.
//! Line 774 of a long introduction.
//! Line 775 of a long introduction.
//! Line 776 of a long introduction.
//! Line 777 of a long introduction.
//! Line 778 of a long introduction.
//! Line 779 of a long introduction.
//! Line 780 of a long introduction.
//! Line 781 of a long introduction.
//! Line 782 of a long introduction.
//! Line 783 of a long introduction.
//! Line 784 of a long introduction.
//! Line 785 of a long introduction.
//! Line 786 of a long introduction.
//! Line 787 of a long introduction.
//! Line 788 of a long introduction.
//! Line 789 of a long introduction.
//! Line 790 of a long introduction.
//! Line 791 of a long introduction.
//! Line 792 of a long introduction.
//! Line 793 of a long introduction.
//! Line 794 of a long introduction.
//! Line 795 of a long introduction.
//! Line 796 of a long introduction.
//! Line 797 of a long introduction.
//! Line 798 of a long introduction.
//! Line 799 of a long introduction.
//! Line 800 of a long introduction.
//! Line 801 of a long introduction.
//! Line 802 of a long introduction.
//! Line 803 of a long introduction.
//! Line 804 of a long introduction.
//! Line 805 of a long introduction.
//! Line 806 of a long introduction.
//! Line 807 of a long introduction.
//! Line 808 of a long introduction.
//! Line 809 of a long introduction.
//! Line 810 of a long introduction.
//! Line 811 of a long introduction.
//! Line 812 of a long introduction.
//! Line 813 of a long introduction.
//! Line 814 of a long introduction.
//! Line 815 of a long introduction.
//! Line 816 of a long introduction.
//! Line 817 of a long introduction.
//! Line 818 of a long introduction.
//! Line 819 of a long introduction.
//! Line 820 of a long introduction.
//! Line 821 of a long introduction.
//! Line 822 of a long introduction.
//! Line 823 of a long introduction.
//! Line 824 of a long introduction.
//! Line 825 of a long introduction.
//! Line 826 of a long introduction.
//! Line 827 of a long introduction.
//! Line 828 of a long introduction.
//! Line 829 of a long introduction.
//! Line 830 of a long introduction.
//! Line 831 of a long introduction.
//! Line 832 of a long introduction.
//! Line 833 of a long introduction.
//! Line 834 of a long introduction.
//! Line 835 of a long introduction.
//! Line 836 of a long introduction.
//! Line 837 of a long introduction.
//! Line 838 of a long introduction.
//! Line 839 of a long introduction.
//! Line 840 of a long introduction.
//! Line 841 of a long introduction.
//! Line 842 of a long introduction.
//! Line 843 of a long introduction.
//! Line 844 of a long introduction.
//! Line 845 of a long introduction.
//! Line 846 of a long introduction.
//! Line 847 of a long introduction.
//! Line 848 of a long introduction.
//! Line 849 of a long introduction.
//! Line 850 of a long introduction.
//! Line 851 of a long introduction.
//! Line 852 of a long introduction.
//! Line 853 of a long introduction.
//! Line 854 of a long introduction.
//! Line 855 of a long introduction.
//! Line 856 of a long introduction.
//! Line 857 of a long introduction.
//! Line 858 of a long introduction.
//! Line 859 of a long introduction.
//! Line 860 of a long introduction.
//! Line 861 of a long introduction.
//! Line 862 of a long introduction.
//! Line 863 of a long introduction.
//! Line 864 of a long introduction.
//! Line 865 of a long introduction.
//! Line 866 of a long introduction.
//! Line 867 of a long introduction.
//! Line 868 of a long introduction.
//! Line 869 of a long introduction.
//! Line 870 of a long introduction.
//! Line 871 of a long introduction.
//! Line 872 of a long introduction.
//! Line 873 of a long introduction.
//! Line 874 of a long introduction.
//! Line 875 of a long introduction.
//! Line 876 of a long introduction.
//! Line 877 of a long introduction.
//! Line 878 of a long introduction.
//! Line 879 of a long introduction.
//! Line 880 of a long introduction.
//! Line 881 of a long introduction.
//! Line 882 of a long introduction.
//! Line 883 of a long introduction.
//! Line 884 of a long introduction.
//! Line 885 of a long introduction.
//! Line 886 of a long introduction.
//! Line 887 of a long introduction.
//! Line 888 of a long introduction.
//! Line 889 of a long introduction.
//! Line 890 of a long introduction.
//! Line 891 of a long introduction.
//! Line 892 of a long introduction.
//! Line 893 of a long introduction.
//! Line 894 of a long introduction.
//! Line 895 of a long introduction.
//! Line 896 of a long introduction.
//! Line 897 of a long introduction.
//! Line 898 of a long introduction.
//! Line 899 of a long introduction.
//! Line 900 of a long introduction.
//! Line 901 of a long introduction.
//! Line 902 of a long introduction.
//! Line 903 of a long introduction.
//! Line 904 of a long introduction.
//! Line 905 of a long introduction.
//! Line 906 of a long introduction.
//! Line 907 of a long introduction.
//! Line 908 of a long introduction.
//! Line 909 of a long introduction.
//! Line 910 of a long introduction.
//! Line 911 of a long introduction.
//! Line 912 of a long introduction.
//! Line 913 of a long introduction.
//! Line 914 of a long introduction.
//! Line 915 of a long introduction.
//! Line 916 of a long introduction.
//! Line 917 of a long introduction.
//! Line 918 of a long introduction.
//! Line 919 of a long introduction.
//! Line 920 of a long introduction.
//! Line 921 of a long introduction.
//! Line 922 of a long introduction.
//! Line 923 of a long introduction.
//! Line 924 of a long introduction.
//! Line 925 of a long introduction.
//! Line 926 of a long introduction.
//! Line 927 of a long introduction.
//! Line 928 of a long introduction.
//! Line 929 of a long introduction.
//! Line 930 of a long introduction.
//! Line 931 of a long introduction.
//! Line 932 of a long introduction.
//! Line 933 of a long introduction.
//! Line 934 of a long introduction.
//! Line 935 of a long introduction.
//! Line 936 of a long introduction.
//! Line 937 of a long introduction.
//! Line 938 of a long introduction.
//! Line 939 of a long introduction.
//! Line 940 of a long introduction.
//! Line 941 of a long introduction.
//! Line 942 of a long introduction.
//! Line 943 of a long introduction.
//! Line 944 of a long introduction.
//! Line 945 of a long introduction.
//! Line 946 of a long introduction.
//! Line 947 of a long introduction.
//! Line 948 of a long introduction.
//! Line 949 of a long introduction.
//! Line 950 of a long introduction.
//! Line 951 of a long introduction.
//! Line 952 of a long introduction.
//! Line 953 of a long introduction.
//! Line 954 of a long introduction.
//! Line 955 of a long introduction.
//! Line 956 of a long introduction.
//! Line 957 of a long introduction.
//! Line 958 of a long introduction.
//! Line 959 of a long introduction.
//! Line 960 of a long introduction.
//! Line 961 of a long introduction.
//! Line 962 of a long introduction.
//! Line 963 of a long introduction.
//! Line 964 of a long introduction.
//! Line 965 of a long introduction.
//! Line 966 of a long introduction.
//! Line 967 of a long introduction.
//! Line 968 of a long introduction.
//! Line 969 of a long introduction.
//! Line 970 of a long introduction.
//! Line 971 of a long introduction.
//! Line 972 of a long introduction.
//! Line 973 of a long introduction.
//! Line 974 of a long introduction.
//! Line 975 of a long introduction.
//! Line 976 of a long introduction.
//! Line 977 of a long introduction.
//! Line 978 of a long introduction.
//! Line 979 of a long introduction.
//! Line 980 of a long introduction.
//! Line 981 of a long introduction.
//! Line 982 of a long introduction.
//! Line 983 of a long introduction.
//! Line 984 of a long introduction.
//! Line 985 of a long introduction.
//! Line 986 of a long introduction.
//! Line 987 of a long introduction.
//! Line 988 of a long introduction.
//! Line 989 of a long introduction.
//! Line 990 of a long introduction.
//! Line 991 of a long introduction.
//! Line 992 of a long introduction.
//! Line 993 of a long introduction.
//! Line 994 of a long introduction.
//! Line 995 of a long introduction.
//! Line 996 of a long introduction.
//! Line 997 of a long introduction.
//! Line 998 of a long introduction.
//! Line 999 of a long introduction.
//! Line 1000 of a long introduction.
//! Line 1001 of a long introduction.
//! Line 1002 of a long introduction.
//! Line 1003 of a long introduction.
//! Line 1004 of a long introduction.
//! Line 1005 of a long introduction.
//! Line 1006 of a long introduction.
//! Line 1007 of a long introduction.
//! Line 1008 of a long introduction.
//! Line 1009 of a long introduction.
//! Line 1010 of a long introduction.
//! Line 1011 of a long introduction.
//! Line 1012 of a long introduction.
//! Line 1013 of a long introduction.
//! Line 1014 of a long introduction.
//! Line 1015 of a long introduction.
//! Line 1016 of a long introduction.
//! Line 1017 of a long introduction.
//! Line 1018 of a long introduction.
//! Line 1019 of a long introduction.
//! Line 1020 of a long introduction.
//! Line 1021 of a long introduction.
//! Line 1022 of a long introduction.
//! Line 1023 of a long introduction.
//! Line 1024 of a long introduction.
//! Line 1025 of a long introduction.
//! Line 1026 of a long introduction.
//! Line 1027 of a long introduction.
//! Line 1028 of a long introduction.
//! Line 1029 of a long introduction.
//! Line 1030 of a long introduction.
//! Line 1031 of a long introduction.
//! Line 1032 of a long introduction.
//! Line 1033 of a long introduction.
//! Line 1034 of a long introduction.
//! Line 1035 of a long introduction.
//! Line 1036 of a long introduction.
//! Line 1037 of a long introduction.
//! Line 1038 of a long introduction.
//! Line 1039 of a long introduction.
//! Line 1040 of a long introduction.
//! Line 1041 of a long introduction.
//! Line 1042 of a long introduction.
//! Line 1043 of a long introduction.
//! Line 1044 of a long introduction.
//! Line 1045 of a long introduction.
//! Line 1046 of a long introduction.
//! Line 1047 of a long introduction.
//! Line 1048 of a long introduction.
//! Line 1049 of a long introduction.
//! Line 1050 of a long introduction.
//! Line 1051 of a long introduction.
//! Line 1052 of a long introduction.
//! Line 1053 of a long introduction.
//! Line 1054 of a long introduction.
//! Line 1055 of a long introduction.
//! Line 1056 of a long introduction.
//! Line 1057 of a long introduction.
//! Line 1058 of a long introduction.
//! Line 1059 of a long introduction.
//! Line 1060 of a long introduction.
//! Line 1061 of a long introduction.
//! Line 1062 of a long introduction.
//! Line 1063 of a long introduction.
//! Line 1064 of a long introduction.
//! Line 1065 of a long introduction.
//! Line 1066 of a long introduction.
//! Line 1067 of a long introduction.
//! Line 1068 of a long introduction.
//! Line 1069 of a long introduction.
//! Line 1070 of a long introduction.
//! Line 1071 of a long introduction.
//! Line 1072 of a long introduction.
//! Line 1073 of a long introduction.
//! Line 1074 of a long introduction.
//! Line 1075 of a long introduction.
//! Line 1076 of a long introduction.
//! Line 1077 of a long introduction.
//! Line 1078 of a long introduction.
//! Line 1079 of a long introduction.
//! Line 1080 of a long introduction.
//! Line 1081 of a long introduction.
//! Line 1082 of a long introduction.
//! Line 1083 of a long introduction.
//! Line 1084 of a long introduction.
//! Line 1085 of a long introduction.
//! Line 1086 of a long introduction.
//! Line 1087 of a long introduction.
//! Line 1088 of a long introduction.
//! Line 1089 of a long introduction.
//! Line 1090 of a long introduction.
//! Line 1091 of a long introduction.
//! Line 1092 of a long introduction.
//! Line 1093 of a long introduction.
//! Line 1094 of a long introduction.
//! Line 1095 of a long introduction.
//! Line 1096 of a long introduction.
//! Line 1097 of a long introduction.
//! Line 1098 of a long introduction.
//! Line 1099 of a long introduction.
//! Line 1100 of a long introduction.
//! Line 1101 of a long introduction.
//! Line 1102 of a long introduction.
//! Line 1103 of a long introduction.
//! Line 1104 of a long introduction.
//! Line 1105 of a long introduction.
//! Line 1106 of a long introduction.
//! Line 1107 of a long introduction.
//! Line 1108 of a long introduction.
//! Line 1109 of a long introduction.
//! Line 1110 of a long introduction.
//! Line 1111 of a long introduction.
//! Line 1112 of a long introduction.
//! Line 1113 of a long introduction.
//! Line 1114 of a long introduction.
//! Line 1115 of a long introduction.
//! Line 1116 of a long introduction.
//! Line 1117 of a long introduction.
//! Line 1118 of a long introduction.
//! Line 1119 of a long introduction.
//! Line 1120 of a long introduction.
//! Line 1121 of a long introduction.
//! Line 1122 of a long introduction.
//! Line 1123 of a long introduction.
//! Line 1124 of a long introduction.
//! Line 1125 of a long introduction.
//! Line 1126 of a long introduction.
//! Line 1127 of a long introduction.
//! Line 1128 of a long introduction.
//! Line 1129 of a long introduction.
//! Line 1130 of a long introduction.
//! Line 1131 of a long introduction.
//! Line 1132 of a long introduction.
//! Line 1133 of a long introduction.
//! Line 1134 of a long introduction.
//! Line 1135 of a long introduction.
//! Line 1136 of a long introduction.
//! Line 1137 of a long introduction.
//! Line 1138 of a long introduction.
//! Line 1139 of a long introduction.
//! Line 1140 of a long introduction.
//! Line 1141 of a long introduction.
//! Line 1142 of a long introduction.
//! Line 1143 of a long introduction.
//! Line 1144 of a long introduction.
//! Line 1145 of a long introduction.
//! Line 1146 of a long introduction.
//! Line 1147 of a long introduction.
//! Line 1148 of a long introduction.
//! Line 1149 of a long introduction.
//! Line 1150 of a long introduction.
//! Line 1151 of a long introduction.
//! Line 1152 of a long introduction.
//! Line 1153 of a long introduction.
//! Line 1154 of a long introduction.
//! Line 1155 of a long introduction.
//! Line 1156 of a long introduction.
//! Line 1157 of a long introduction.
//! Line 1158 of a long introduction.
//! Line 1159 of a long introduction.
//! Line 1160 of a long introduction.
//! Line 1161 of a long introduction.
//! Line 1162 of a long introduction.
//! Line 1163 of a long introduction.
//! Line 1164 of a long introduction.
//! Line 1165 of a long introduction.
//! Line 1166 of a long introduction.
//! Line 1167 of a long introduction.
//! Line 1168 of a long introduction.
//! Line 1169 of a long introduction.
//! Line 1170 of a long introduction.
//! Line 1171 of a long introduction.
//! Line 1172 of a long introduction.
//! Line 1173 of a long introduction.
//! Line 1174 of a long introduction.
//! Line 1175 of a long introduction.
//! Line 1176 of a long introduction.
//! Line 1177 of a long introduction.
//! Line 1178 of a long introduction.
//! Line 1179 of a long introduction.
//! Line 1180 of a long introduction.
//! Line 1181 of a long introduction.
//! Line 1182 of a long introduction.
//! Line 1183 of a long introduction.
//! Line 1184 of a long introduction.
//! Line 1185 of a long introduction.
//! Line 1186 of a long introduction.
//! Line 1187 of a long introduction.
//! Line 1188 of a long introduction.
//! Line 1189 of a long introduction.
//! Line 1190 of a long introduction.
//! Line 1191 of a long introduction.
//! Line 1192 of a long introduction.
//! Line 1193 of a long introduction.
//! Line 1194 of a long introduction.
//! Line 1195 of a long introduction.
//! Line 1196 of a long introduction.
//! Line 1197 of a long introduction.
//! Line 1198 of a long introduction.
//! Line 1199 of a long introduction.
//! Line 1200 of a long introduction.
//! Line 1201 of a long introduction.
//! Line 1202 of a long introduction.
//! Line 1203 of a long introduction.
//! Line 1204 of a long introduction.
//! Line 1205 of a long introduction.
//! Line 1206 of a long introduction.
//! Line 1207 of a long introduction.
//! Line 1208 of a long introduction.
//! Line 1209 of a long introduction.
//! Line 1210 of a long introduction.
//! Line 1211 of a long introduction.
//! Line 1212 of a long introduction.
//! Line 1213 of a long introduction.
//! Line 1214 of a long introduction.
//! Line 1215 of a long introduction.
//! Line 1216 of a long introduction.
//! Line 1217 of a long introduction.
//! Line 1218 of a long introduction.
//! Line 1219 of a long introduction.
//! Line 1220 of a long introduction.
//! Line 1221 of a long introduction.
//! Line 1222 of a long introduction.
//! Line 1223 of a long introduction.
//! Line 1224 of a long introduction.
//! Line 1225 of a long introduction.
//! Line 1226 of a long introduction.
//! Line 1227 of a long introduction.
//! Line 1228 of a long introduction.
//! Line 1229 of a long introduction.
//! Line 1230 of a long introduction.
//! Line 1231 of a long introduction.
//! Line 1232 of a long introduction.
//! Line 1233 of a long introduction.
//! Line 1234 of a long introduction.
//! Line 1235 of a long introduction.
//! Line 1236 of a long introduction.
//! Line 1237 of a long introduction.
//! Line 1238 of a long introduction.
//! Line 1239 of a long introduction.
//! Line 1240 of a long introduction.
//! Line 1241 of a long introduction.
//! Line 1242 of a long introduction.
//! Line 1243 of a long introduction.
//! Line 1244 of a long introduction.
//! Line 1245 of a long introduction.
//! Line 1246 of a long introduction.
//! Line 1247 of a long introduction.
//! Line 1248 of a long introduction.
//! Line 1249 of a long introduction.
//! Line 1250 of a long introduction.
//! Line 1251 of a long introduction.
//! Line 1252 of a long introduction.
//! Line 1253 of a long introduction.
//! Line 1254 of a long introduction.
//! Line 1255 of a long introduction.
//! Line 1256 of a long introduction.
//! Line 1257 of a long introduction.
//! Line 1258 of a long introduction.
//! Line 1259 of a long introduction.
//! Line 1260 of a long introduction.
//! Line 1261 of a long introduction.
//! Line 1262 of a long introduction.
//! Line 1263 of a long introduction.
//! Line 1264 of a long introduction.
//! Line 1265 of a long introduction.
//! Line 1266 of a long introduction.
//! Line 1267 of a long introduction.
//! Line 1268 of a long introduction.
//! Line 1269 of a long introduction.
//! Line 1270 of a long introduction.
//! Line 1271 of a long introduction.
//! Line 1272 of a long introduction.
//! Line 1273 of a long introduction.
//! Line 1274 of a long introduction.
//! Line 1275 of a long introduction.
//! Line 1276 of a long introduction.
//! Line 1277 of a long introduction.
//! Line 1278 of a long introduction.
//! Line 1279 of a long introduction.
//! Line 1280 of a long introduction.
//! Line 1281 of a long introduction.
//! Line 1282 of a long introduction.
//! Line 1283 of a long introduction.
//! Line 1284 of a long introduction.
//! Line 1285 of a long introduction.
//! Line 1286 of a long introduction.
//! Line 1287 of a long introduction.
//! Line 1288 of a long introduction.
//! Line 1289 of a long introduction.
//! Line 1290 of a long introduction.
//! Line 1291 of a long introduction.
//! Line 1292 of a long introduction.
//! Line 1293 of a long introduction.
//! Line 1294 of a long introduction.
//! Line 1295 of a long introduction.
//! Line 1296 of a long introduction.
//! Line 1297 of a long introduction.
//! Line 1298 of a long introduction.
//! Line 1299 of a long introduction.
//! Line 1300 of a long introduction.
//! Line 1301 of a long introduction.
//! Line 1302 of a long introduction.
//! Line 1303 of a long introduction.
//! Line 1304 of a long introduction.
//! Line 1305 of a long introduction.
//! Line 1306 of a long introduction.
//! Line 1307 of a long introduction.
//! Line 1308 of a long introduction.
//! Line 1309 of a long introduction.
//! Line 1310 of a long introduction.
//! Line 1311 of a long introduction.
//! Line 1312 of a long introduction.
//! Line 1313 of a long introduction.
//! Line 1314 of a long introduction.
//! Line 1315 of a long introduction.
//! Line 1316 of a long introduction.
//! Line 1317 of a long introduction.
//! Line 1318 of a long introduction.
//! Line 1319 of a long introduction.
//! Line 1320 of a long introduction.
//! Line 1321 of a long introduction.
//! Line 1322 of a long introduction.
//! Line 1323 of a long introduction.
//! Line 1324 of a long introduction.
//! Line 1325 of a long introduction.
//! Line 1326 of a long introduction.
//! Line 1327 of a long introduction.
//! Line 1328 of a long introduction.
//! Line 1329 of a long introduction.
//! Line 1330 of a long introduction.
//! Line 1331 of a long introduction.
//! Line 1332 of a long introduction.
//! Line 1333 of a long introduction.
//! Line 1334 of a long introduction.
//! Line 1335 of a long introduction.
//! Line 1336 of a long introduction.
//! Line 1337 of a long introduction.
//! Line 1338 of a long introduction.
//! Line 1339 of a long introduction.
//! Line 1340 of a long introduction.
//! Line 1341 of a long introduction.
//! Line 1342 of a long introduction.
//! Line 1343 of a long introduction.
//! Line 1344 of a long introduction.
//! Line 1345 of a long introduction.
//! Line 1346 of a long introduction.
//! Line 1347 of a long introduction.
//! Line 1348 of a long introduction.
//! Line 1349 of a long introduction.
//! Line 1350 of a long introduction.
//! Line 1351 of a long introduction.
//! Line 1352 of a long introduction.
//! Line 1353 of a long introduction.
//! Line 1354 of a long introduction.
//! Line 1355 of a long introduction.
//! Line 1356 of a long introduction.
//! Line 1357 of a long introduction.
//! Line 1358 of a long introduction.
//! Line 1359 of a long introduction.
//! Line 1360 of a long introduction.
//! Line 1361 of a long introduction.
//! Line 1362 of a long introduction.
//! Line 1363 of a long introduction.
//! Line 1364 of a long introduction.
//! Line 1365 of a long introduction.
//! Line 1366 of a long introduction.
//! Line 1367 of a long introduction.
//! Line 1368 of a long introduction.
//! Line 1369 of a long introduction.
//! Line 1370 of a long introduction.
//! Line 1371 of a long introduction.
//! Line 1372 of a long introduction.
//! Line 1373 of a long introduction.
//! Line 1374 of a long introduction.
//! Line 1375 of a long introduction.
//! Line 1376 of a long introduction.
//! Line 1377 of a long introduction.
//! Line 1378 of a long introduction.
//! Line 1379 of a long introduction.
//! Line 1380 of a long introduction.
//! Line 1381 of a long introduction.
//! Line 1382 of a long introduction.
//! Line 1383 of a long introduction.
//! Line 1384 of a long introduction.
//! Line 1385 of a long introduction.
//! Line 1386 of a long introduction.
//! Line 1387 of a long introduction.
//! Line 1388 of a long introduction.
//! Line 1389 of a long introduction.
//! Line 1390 of a long introduction.
//! Line 1391 of a long introduction.
//! Line 1392 of a long introduction.
//! Line 1393 of a long introduction.
//! Line 1394 of a long introduction.
//! Line 1395 of a long introduction.
//! Line 1396 of a long introduction.
//! Line 1397 of a long introduction.
//! Line 1398 of a long introduction.
//! Line 1399 of a long introduction.
//! Line 1400 of a long introduction.
//! Line 1401 of a long introduction.
//! Line 1402 of a long introduction.
//! Line 1403 of a long introduction.
//! Line 1404 of a long introduction.
//! Line 1405 of a long introduction.
//! Line 1406 of a long introduction.
//! Line 1407 of a long introduction.
//! Line 1408 of a long introduction.
//! Line 1409 of a long introduction.
//! Line 1410 of a long introduction.
//! Line 1411 of a long introduction.
//! Line 1412 of a long introduction.
//! Line 1413 of a long introduction.
//! Line 1414 of a long introduction.
//! Line 1415 of a long introduction.
//! Line 1416 of a long introduction.
//! Line 1417 of a long introduction.
//! Line 1418 of a long introduction.
//! Line 1419 of a long introduction.
//! Line 1420 of a long introduction.
//! Line 1421 of a long introduction.
//! Line 1422 of a long introduction.
//! Line 1423 of a long introduction.
//! Line 1424 of a long introduction.
//! Line 1425 of a long introduction.
//! Line 1426 of a long introduction.
//! Line 1427 of a long introduction.
//! Line 1428 of a long introduction.
//! Line 1429 of a long introduction.
//! Line 1430 of a long introduction.
//! Line 1431 of a long introduction.
//! Line 1432 of a long introduction.
//! Line 1433 of a long introduction.
//! Line 1434 of a long introduction.
//! Line 1435 of a long introduction.
//! Line 1436 of a long introduction.
//! Line 1437 of a long introduction.
//! Line 1438 of a long introduction.
//! Line 1439 of a long introduction.
//! Line 1440 of a long introduction.
//! Line 1441 of a long introduction.
//! Line 1442 of a long introduction.
//! Line 1443 of a long introduction.
//! Line 1444 of a long introduction.
//! Line 1445 of a long introduction.
//! Line 1446 of a long introduction.
//! Line 1447 of a long introduction.
//! Line 1448 of a long introduction.
//! Line 1449 of a long introduction.
//! Line 1450 of a long introduction.
//! Line 1451 of a long introduction.
//! Line 1452 of a long introduction.
//! Line 1453 of a long introduction.
//! Line 1454 of a long introduction.
//! Line 1455 of a long introduction.
//! Line 1456 of a long introduction.
//! Line 1457 of a long introduction.
//! Line 1458 of a long introduction.
//! Line 1459 of a long introduction.
//! Line 1460 of a long introduction.
//! Line 1461 of a long introduction.
//! Line 1462 of a long introduction.
//! Line 1463 of a long introduction.
//! Line 1464 of a long introduction.
//! Line 1465 of a long introduction.
//! Line 1466 of a long introduction.
//! Line 1467 of a long introduction.
//! Line 1468 of a long introduction.
//! Line 1469 of a long introduction.
//! Line 1470 of a long introduction.
//! Line 1471 of a long introduction.
//! Line 1472 of a long introduction.
//! Line 1473 of a long introduction.
//! Line 1474 of a long introduction.
//! Line 1475 of a long introduction.
//! Line 1476 of a long introduction.
//! Line 1477 of a long introduction.
//! Line 1478 of a long introduction.
//! Line 1479 of a long introduction.
//! Line 1480 of a long introduction.
//! Line 1481 of a long introduction.
//! Line 1482 of a long introduction.
//! Line 1483 of a long introduction.
//! Line 1484 of a long introduction.
//! Line 1485 of a long introduction.
//! Line 1486 of a long introduction.
//! Line 1487 of a long introduction.
//! Line 1488 of a long introduction.
//! Line 1489 of a long introduction.
//! Line 1490 of a long introduction.
//! Line 1491 of a long introduction.
//! Line 1492 of a long introduction.
//! Line 1493 of a long introduction.
//! Line 1494 of a long introduction.
//! Line 1495 of a long introduction.
//! Line 1496 of a long introduction.
//! Line 1497 of a long introduction.
//! Line 1498 of a long introduction.
//! Line 1499 of a long introduction.
//! Line 1500 of a long introduction.
//! Line 1501 of a long introduction.
//! Line 1502 of a long introduction.
//! Line 1503 of a long introduction.
//! Line 1504 of a long introduction.
//! Line 1505 of a long introduction.
//! Line 1506 of a long introduction.
//! Line 1507 of a long introduction.
//! Line 1508 of a long introduction.
//! Line 1509 of a long introduction.
//! Line 1510 of a long introduction.
//! Line 1511 of a long introduction.
//! Line 1512 of a long introduction.
//! Line 1513 of a long introduction.
//! Line 1514 of a long introduction.
//! Line 1515 of a long introduction.
//! Line 1516 of a long introduction.
//! Line 1517 of a long introduction.
//! Line 1518 of a long introduction.
//! Line 1519 of a long introduction.
//! Line 1520 of a long introduction.
//! Line 1521 of a long introduction.
//! Line 1522 of a long introduction.
//! Line 1523 of a long introduction.
//! Line 1524 of a long introduction.
//! Line 1525 of a long introduction.
//! Line 1526 of a long introduction.
//! Line 1527 of a long introduction.
//! Line 1528 of a long introduction.
//! Line 1529 of a long introduction.
//! Line 1530 of a long introduction.
//! Line 1531 of a long introduction.
//! Line 1532 of a long introduction.
//! Line 1533 of a long introduction.
//! Line 1534 of a long introduction.
//! Line 1535 of a long introduction.
//! Line 1536 of a long introduction.
//! Line 1537 of a long introduction.
//! Line 1538 of a long introduction.
//! Line 1539 of a long introduction.
//! Line 1540 of a long introduction.
//! Line 1541 of a long introduction.
//! Line 1542 of a long introduction.
//! Line 1543 of a long introduction.
//! Line 1544 of a long introduction.
//! Line 1545 of a long introduction.
//! Line 1546 of a long introduction.
//! Line 1547 of a long introduction.
//! Line 1548 of a long introduction.
//! Line 1549 of a long introduction.
//! Line 1550 of a long introduction.
//! Line 1551 of a long introduction.
//! Line 1552 of a long introduction.
//! Line 1553 of a long introduction.
//! Line 1554 of a long introduction.
//! Line 1555 of a long introduction.
//! Line 1556 of a long introduction.
//! Line 1557 of a long introduction.
//! Line 1558 of a long introduction.
//! Line 1559 of a long introduction.
//! Line 1560 of a long introduction.
//! Line 1561 of a long introduction.
//! Line 1562 of a long introduction.
//! Line 1563 of a long introduction.
//! Line 1564 of a long introduction.
//! Line 1565 of a long introduction.
//! Line 1566 of a long introduction.
//! Line 1567 of a long introduction.
//! Line 1568 of a long introduction.
//! Line 1569 of a long introduction.
//! Line 1570 of a long introduction.
//! Line 1571 of a long introduction.
//! Line 1572 of a long introduction.
//! Line 1573 of a long introduction.
//! Line 1574 of a long introduction.
//! Line 1575 of a long introduction.
//! Line 1576 of a long introduction.
//! Line 1577 of a long introduction.
//! Line 1578 of a long introduction.
//! Line 1579 of a long introduction.
//! Line 1580 of a long introduction.
//! Line 1581 of a long introduction.
//! Line 1582 of a long introduction.
//! Line 1583 of a long introduction.
//! Line 1584 of a long introduction.
//! Line 1585 of a long introduction.
//! Line 1586 of a long introduction.
//! Line 1587 of a long introduction.
//! Line 1588 of a long introduction.
//! Line 1589 of a long introduction.
//! Line 1590 of a long introduction.
//! Line 1591 of a long introduction.
//! Line 1592 of a long introduction.
//! Line 1593 of a long introduction.
//! Line 1594 of a long introduction.
//! Line 1595 of a long introduction.
//! Line 1596 of a long introduction.
//! Line 1597 of a long introduction.
//! Line 1598 of a long introduction.
//! Line 1599 of a long introduction.
//! Line 1600 of a long introduction.
//! Line 1601 of a long introduction.
//! Line 1602 of a long introduction.
//! Line 1603 of a long introduction.
//! Line 1604 of a long introduction.
//! Line 1605 of a long introduction.
//! Line 1606 of a long introduction.
//! Line 1607 of a long introduction.
//! Line 1608 of a long introduction.
//! Line 1609 of a long introduction.
//! Line 1610 of a long introduction.
//! Line 1611 of a long introduction.
//! Line 1612 of a long introduction.
//! Line 1613 of a long introduction.
//! Line 1614 of a long introduction.
//! Line 1615 of a long introduction.
//! Line 1616 of a long introduction.
//! Line 1617 of a long introduction.
//! Line 1618 of a long introduction.
//! Line 1619 of a long introduction.
//! Line 1620 of a long introduction.
//! Line 1621 of a long introduction.
//! Line 1622 of a long introduction.
//! Line 1623 of a long introduction.
//! Line 1624 of a long introduction.
//! Line 1625 of a long introduction.
//! Line 1626 of a long introduction.
//! Line 1627 of a long introduction.
//! Line 1628 of a long introduction.
//! Line 1629 of a long introduction.
//! Line 1630 of a long introduction.
//! Line 1631 of a long introduction.
//! Line 1632 of a long introduction.
//! Line 1633 of a long introduction.
//! Line 1634 of a long introduction.
//! Line 1635 of a long introduction.
//! Line 1636 of a long introduction.
//! Line 1637 of a long introduction.
//! Line 1638 of a long introduction.
//! Line 1639 of a long introduction.
//! Line 1640 of a long introduction.
//! Line 1641 of a long introduction.
//! Line 1642 of a long introduction.
//! Line 1643 of a long introduction.
//! Line 1644 of a long introduction.
//! Line 1645 of a long introduction.
//! Line 1646 of a long introduction.
//! Line 1647 of a long introduction.
//! Line 1648 of a long introduction.
//! Line 1649 of a long introduction.
//! Line 1650 of a long introduction.
//! Line 1651 of a long introduction.
//! Line 1652 of a long introduction.
//! Line 1653 of a long introduction.
//! Line 1654 of a long introduction.
//! Line 1655 of a long introduction.
//! Line 1656 of a long introduction.
//! Line 1657 of a long introduction.
//! Line 1658 of a long introduction.
//! Line 1659 of a long introduction.
//! Line 1660 of a long introduction.
//! Line 1661 of a long introduction.
//! Line 1662 of a long introduction.
//! Line 1663 of a long introduction.
//! Line 1664 of a long introduction.
//! Line 1665 of a long introduction.
//! Line 1666 of a long introduction.
//! Line 1667 of a long introduction.
//! Line 1668 of a long introduction.
//! Line 1669 of a long introduction.
//! Line 1670 of a long introduction.
//! Line 1671 of a long introduction.
//! Line 1672 of a long introduction.
//! Line 1673 of a long introduction.
//! Line 1674 of a long introduction.
//! Line 1675 of a long introduction.
//! Line 1676 of a long introduction.
//! Line 1677 of a long introduction.
//! Line 1678 of a long introduction.
//! Line 1679 of a long introduction.
//! Line 1680 of a long introduction.
//! Line 1681 of a long introduction.
//! Line 1682 of a long introduction.
//! Line 1683 of a long introduction.
//! Line 1684 of a long introduction.
//! Line 1685 of a long introduction.
//! Line 1686 of a long introduction.
//! Line 1687 of a long introduction.
//! Line 1688 of a long introduction.
//! Line 1689 of a long introduction.
//! Line 1690 of a long introduction.
//! Line 1691 of a long introduction.
//! Line 1692 of a long introduction.
//! Line 1693 of a long introduction.
//! Line 1694 of a long introduction.
//! Line 1695 of a long introduction.
//! Line 1696 of a long introduction.
//! Line 1697 of a long introduction.
//! Line 1698 of a long introduction.
//! Line 1699 of a long introduction.
//! Line 1700 of a long introduction.
//! Line 1701 of a long introduction.
//! Line 1702 of a long introduction.
//! Line 1703 of a long introduction.
//! Line 1704 of a long introduction.
//! Line 1705 of a long introduction.
//! Line 1706 of a long introduction.
//! Line 1707 of a long introduction.
//! Line 1708 of a long introduction.
//! Line 1709 of a long introduction.
//! Line 1710 of a long introduction.
//! Line 1711 of a long introduction.
//! Line 1712 of a long introduction.
//! Line 1713 of a long introduction.
//! Line 1714 of a long introduction.
//! Line 1715 of a long introduction.
//! Line 1716 of a long introduction.
//! Line 1717 of a long introduction.
//! Line 1718 of a long introduction.
//! Line 1719 of a long introduction.
//! Line 1720 of a long introduction.
//! Line 1721 of a long introduction.
//! Line 1722 of a long introduction.
//! Line 1723 of a long introduction.
//! Line 1724 of a long introduction.
//! Line 1725 of a long introduction.
//! Line 1726 of a long introduction.
//! Line 1727 of a long introduction.
//! Line 1728 of a long introduction.
//! Line 1729 of a long introduction.
//! Line 1730 of a long introduction.
//! Line 1731 of a long introduction.
//! Line 1732 of a long introduction.
//! Line 1733 of a long introduction.
//! Line 1734 of a long introduction.
//! Line 1735 of a long introduction.
//! Line 1736 of a long introduction.
//! Line 1737 of a long introduction.
//! Line 1738 of a long introduction.
//! Line 1739 of a long introduction.
//! Line 1740 of a long introduction.
//! Line 1741 of a long introduction.
//! Line 1742 of a long introduction.
//! Line 1743 of a long introduction.
//! Line 1744 of a long introduction.
//! Line 1745 of a long introduction.
//! Line 1746 of a long introduction.
//! Line 1747 of a long introduction.
//! Line 1748 of a long introduction.
//! Line 1749 of a long introduction.
//! Line 1750 of a long introduction.
//! Line 1751 of a long introduction.
//! Line 1752 of a long introduction.
//! Line 1753 of a long introduction.
//! Line 1754 of a long introduction.
//! Line 1755 of a long introduction.
//! Line 1756 of a long introduction.
//! Line 1757 of a long introduction.
//! Line 1758 of a long introduction.
//! Line 1759 of a long introduction.
//! Line 1760 of a long introduction.
//! Line 1761 of a long introduction.
//! Line 1762 of a long introduction.
//! Line 1763 of a long introduction.
//! Line 1764 of a long introduction.
//! Line 1765 of a long introduction.
//! Line 1766 of a long introduction.
//! Line 1767 of a long introduction.
//! Line 1768 of a long introduction.
//! Line 1769 of a long introduction.
//! Line 1770 of a long introduction.
//! Line 1771 of a long introduction.
//! Line 1772 of a long introduction.
//! Line 1773 of a long introduction.
//! Line 1774 of a long introduction.
//! Line 1775 of a long introduction.
//! Line 1776 of a long introduction.
//! Line 1777 of a long introduction.
//! Line 1778 of a long introduction.
//! Line 1779 of a long introduction.
//! Line 1780 of a long introduction.
//! Line 1781 of a long introduction.
//! Line 1782 of a long introduction.
//! Line 1783 of a long introduction.
//! Line 1784 of a long introduction.
//! Line 1785 of a long introduction.
//! Line 1786 of a long introduction.
//! Line 1787 of a long introduction.
//! Line 1788 of a long introduction.
//! Line 1789 of a long introduction.
//! Line 1790 of a long introduction.
//! Line 1791 of a long introduction.
//! Line 1792 of a long introduction.
//! Line 1793 of a long introduction.
//! Line 1794 of a long introduction.
//! Line 1795 of a long introduction.
//! Line 1796 of a long introduction.
//! Line 1797 of a long introduction.
//! Line 1798 of a long introduction.
//! Line 1799 of a long introduction.
//! Line 1800 of a long introduction.
//! Line 1801 of a long introduction.
//! Line 1802 of a long introduction.
//! Line 1803 of a long introduction.
//! Line 1804 of a long introduction.
//! Line 1805 of a long introduction.
//! Line 1806 of a long introduction.
//! Line 1807 of a long introduction.
//! Line 1808 of a long introduction.
//! Line 1809 of a long introduction.
//! Line 1810 of a long introduction.
//! Line 1811 of a long introduction.
//! Line 1812 of a long introduction.
//! Line 1813 of a long introduction.
//! Line 1814 of a long introduction.
//! Line 1815 of a long introduction.
//! Line 1816 of a long introduction.
//! Line 1817 of a long introduction.
//! Line 1818 of a long introduction.
//! Line 1819 of a long introduction.
//! Line 1820 of a long introduction.
//! Line 1821 of a long introduction.
//! Line 1822 of a long introduction.
//! Line 1823 of a long introduction.
//! Line 1824 of a long introduction.
//! Line 1825 of a long introduction.
//! Line 1826 of a long introduction.
//! Line 1827 of a long introduction.
//! Line 1828 of a long introduction.
//! Line 1829 of a long introduction.
//! Line 1830 of a long introduction.
//! Line 1831 of a long introduction.
//! Line 1832 of a long introduction.
//! Line 1833 of a long introduction.
//! Line 1834 of a long introduction.
//! Line 1835 of a long introduction.
//! Line 1836 of a long introduction.
//! Line 1837 of a long introduction.
//! Line 1838 of a long introduction.
//! Line 1839 of a long introduction.
//! Line 1840 of a long introduction.
//! Line 1841 of a long introduction.
//! Line 1842 of a long introduction.
//! Line 1843 of a long introduction.
//! Line 1844 of a long introduction.
//! Line 1845 of a long introduction.
//! Line 1846 of a long introduction.
//! Line 1847 of a long introduction.
//! Line 1848 of a long introduction.
//! Line 1849 of a long introduction.
//! Line 1850 of a long introduction.
//! Line 1851 of a long introduction.
//! Line 1852 of a long introduction.
//! Line 1853 of a long introduction.
//! Line 1854 of a long introduction.
//! Line 1855 of a long introduction.
//! Line 1856 of a long introduction.
//! Line 1857 of a long introduction.
//! Line 1858 of a long introduction.
//! Line 1859 of a long introduction.
//! Line 1860 of a long introduction.
//! Line 1861 of a long introduction.
//! Line 1862 of a long introduction.
//! Line 1863 of a long introduction.
//! Line 1864 of a long introduction.
//! Line 1865 of a long introduction.
//! Line 1866 of a long introduction.
//! Line 1867 of a long introduction.
//! Line 1868 of a long introduction.
//! Line 1869 of a long introduction.
//! Line 1870 of a long introduction.
//! Line 1871 of a long introduction.
//! Line 1872 of a long introduction.
//! Line 1873 of a long introduction.
//! Line 1874 of a long introduction.
//! Line 1875 of a long introduction.
//! Line 1876 of a long introduction.
//! Line 1877 of a long introduction.
//! Line 1878 of a long introduction.
//! Line 1879 of a long introduction.
//! Line 1880 of a long introduction.
//! Line 1881 of a long introduction.
//! Line 1882 of a long introduction.
//! Line 1883 of a long introduction.
//! Line 1884 of a long introduction.
//! Line 1885 of a long introduction.
//! Line 1886 of a long introduction.
//! Line 1887 of a long introduction.
//! Line 1888 of a long introduction.
//! Line 1889 of a long introduction.
//! Line 1890 of a long introduction.
//! Line 1891 of a long introduction.
//! Line 1892 of a long introduction.
//! Line 1893 of a long introduction.
//! Line 1894 of a long introduction.
//! Line 1895 of a long introduction.
//! Line 1896 of a long introduction.
//! Line 1897 of a long introduction.
//! Line 1898 of a long introduction.
//! Line 1899 of a long introduction.
//! Line 1900 of a long introduction.
//! Line 1901 of a long introduction.
//! Line 1902 of a long introduction.
//! Line 1903 of a long introduction.
//! Line 1904 of a long introduction.
//! Line 1905 of a long introduction.
//! Line 1906 of a long introduction.
//! Line 1907 of a long introduction.
//! Line 1908 of a long introduction.
//! Line 1909 of a long introduction.
//! Line 1910 of a long introduction.
//! Line 1911 of a long introduction.
//! Line 1912 of a long introduction.
//! Line 1913 of a long introduction.
//! Line 1914 of a long introduction.
//! Line 1915 of a long introduction.
//! Line 1916 of a long introduction.
//! Line 1917 of a long introduction.
//! Line 1918 of a long introduction.
//! Line 1919 of a long introduction.
//! Line 1920 of a long introduction.
//! Line 1921 of a long introduction.
//! Line 1922 of a long introduction.
//! Line 1923 of a long introduction.
//! Line 1924 of a long introduction.
//! Line 1925 of a long introduction.
//! Line 1926 of a long introduction.
//! Line 1927 of a long introduction.
//! Line 1928 of a long introduction.
//! Line 1929 of a long introduction.
//! Line 1930 of a long introduction.
//! Line 1931 of a long introduction.
//! Line 1932 of a long introduction.
//! Line 1933 of a long introduction.
//! Line 1934 of a long introduction.
//! Line 1935 of a long introduction.
//! Line 1936 of a long introduction.
//! Line 1937 of a long introduction.
//! Line 1938 of a long introduction.
//! Line 1939 of a long introduction.
//! Line 1940 of a long introduction.
//! Line 1941 of a long introduction.
//! Line 1942 of a long introduction.
//! Line 1943 of a long introduction.
//! Line 1944 of a long introduction.
//! Line 1945 of a long introduction.
//! Line 1946 of a long introduction.
//! Line 1947 of a long introduction.
//! Line 1948 of a long introduction.
//! Line 1949 of a long introduction.
//! Line 1950 of a long introduction.
//! Line 1951 of a long introduction.
//! Line 1952 of a long introduction.
//! Line 1953 of a long introduction.
//! Line 1954 of a long introduction.
//! Line 1955 of a long introduction.
//! Line 1956 of a long introduction.
//! Line 1957 of a long introduction.
//! Line 1958 of a long introduction.
//! Line 1959 of a long introduction.
//! Line 1960 of a long introduction.
//! Line 1961 of a long introduction.
//! Line 1962 of a long introduction.
//! Line 1963 of a long introduction.
//! Line 1964 of a long introduction.
//! Line 1965 of a long introduction.
//! Line 1966 of a long introduction.
//! Line 1967 of a long introduction.
//! Line 1968 of a long introduction.
//! Line 1969 of a long introduction.
//! Line 1970 of a long introduction.
//! Line 1971 of a long introduction.
//! Line 1972 of a long introduction.
//! Line 1973 of a long introduction.
//! Line 1974 of a long introduction.
//! Line 1975 of a long introduction.
//! Line 1976 of a long introduction.
//! Line 1977 of a long introduction.
//! Line 1978 of a long introduction.
//! Line 1979 of a long introduction.
//! Line 1980 of a long introduction.
//! Line 1981 of a long introduction.
//! Line 1982 of a long introduction.
//! Line 1983 of a long introduction.
//! Line 1984 of a long introduction.
//! Line 1985 of a long introduction.
//! Line 1986 of a long introduction.
//! Line 1987 of a long introduction.
//! Line 1988 of a long introduction.
//! Line 1989 of a long introduction.
//! Line 1990 of a long introduction.
//! Line 1991 of a long introduction.
//! Line 1992 of a long introduction.
//! Line 1993 of a long introduction.
//! Line 1994 of a long introduction.
//! Line 1995 of a long introduction.
//! Line 1996 of a long introduction.
//! Line 1997 of a long introduction.
//! Line 1998 of a long introduction.
//! Line 1999 of a long introduction.
//! Line 2000 of a long introduction.
//! Line 2001 of a long introduction.
//! Line 2002 of a long introduction.
//! Line 2003 of a long introduction.
//! Line 2004 of a long introduction.
//! Line 2005 of a long introduction.
//! Line 2006 of a long introduction.
//! Line 2007 of a long introduction.
//! Line 2008 of a long introduction.
//! Line 2009 of a long introduction.
//! Line 2010 of a long introduction.
//! Line 2011 of a long introduction.
//! Line 2012 of a long introduction.
//! Line 2013 of a long introduction.
//! Line 2014 of a long introduction.
//! Line 2015 of a long introduction.
//! Line 2016 of a long introduction.
//! Line 2017 of a long introduction.
//! Line 2018 of a long introduction.
//! Line 2019 of a long introduction.
//! Line 2020 of a long introduction.
//! Line 2021 of a long introduction.
//! Line 2022 of a long introduction.
//! Line 2023 of a long introduction.
//! Line 2024 of a long introduction.
//! Line 2025 of a long introduction.
//! Line 2026 of a long introduction.
//! Line 2027 of a long introduction.
//! Line 2028 of a long introduction.
//! Line 2029 of a long introduction.
//! Line 2030 of a long introduction.
//! Line 2031 of a long introduction.
//! Line 2032 of a long introduction.
//! Line 2033 of a long introduction.
//! Line 2034 of a long introduction.
//! Line 2035 of a long introduction.
//! Line 2036 of a long introduction.
//! Line 2037 of a long introduction.
//! Line 2038 of a long introduction.
//! Line 2039 of a long introduction.
//! Line 2040 of a long introduction.
//! Line 2041 of a long introduction.
//! Line 2042 of a long introduction.
//! Line 2043 of a long introduction.
//! Line 2044 of a long introduction.
//! Line 2045 of a long introduction.
//! Line 2046 of a long introduction.
//! Line 2047 of a long introduction.
//! Line 2048 of a long introduction.
//! Line 2049 of a long introduction.
//! Line 2050 of a long introduction.
//! Line 2051 of a long introduction.
//! Line 2052 of a long introduction.
//! Line 2053 of a long introduction.
//! Line 2054 of a long introduction.
//! Line 2055 of a long introduction.
//! Line 2056 of a long introduction.
//! Line 2057 of a long introduction.
//! Line 2058 of a long introduction.
//! Line 2059 of a long introduction.
//! Line 2060 of a long introduction.
//! Line 2061 of a long introduction.
//! Line 2062 of a long introduction.
//! Line 2063 of a long introduction.
//! Line 2064 of a long introduction.
//! Line 2065 of a long introduction.
//! Line 2066 of a long introduction.
//! Line 2067 of a long introduction.
//! Line 2068 of a long introduction.
//! Line 2069 of a long introduction.
//! Line 2070 of a long introduction.
//! Line 2071 of a long introduction.
//! Line 2072 of a long introduction.
//! Line 2073 of a long introduction.
//! Line 2074 of a long introduction.
//! Line 2075 of a long introduction.
//! Line 2076 of a long introduction.
//! Line 2077 of a long introduction.
//! Line 2078 of a long introduction.
//! Line 2079 of a long introduction.
//! Line 2080 of a long introduction.
//! Line 2081 of a long introduction.
//! Line 2082 of a long introduction.
//! Line 2083 of a long introduction.
//! Line 2084 of a long introduction.
//! Line 2085 of a long introduction.
//! Line 2086 of a long introduction.
//! Line 2087 of a long introduction.
//! Line 2088 of a long introduction.
//! Line 2089 of a long introduction.
//! Line 2090 of a long introduction.
//! Line 2091 of a long introduction.
//! Line 2092 of a long introduction.
//! Line 2093 of a long introduction.
//! Line 2094 of a long introduction.
//! Line 2095 of a long introduction.
//! Line 2096 of a long introduction.
//! Line 2097 of a long introduction.
//! Line 2098 of a long introduction.
//! Line 2099 of a long introduction.
//! Line 2100 of a long introduction.
//! Line 2101 of a long introduction.
//! Line 2102 of a long introduction.
//! Line 2103 of a long introduction.
//! Line 2104 of a long introduction.
//! Line 2105 of a long introduction.
//! Line 2106 of a long introduction.
//! Line 2107 of a long introduction.
//! Line 2108 of a long introduction.
//! Line 2109 of a long introduction.
//! Line 2110 of a long introduction.
//! Line 2111 of a long introduction.
//! Line 2112 of a long introduction.
//! Line 2113 of a long introduction.
//! Line 2114 of a long introduction.
//! Line 2115 of a long introduction.
//! Line 2116 of a long introduction.
//! Line 2117 of a long introduction.
//! Line 2118 of a long introduction.
//! Line 2119 of a long introduction.
//! Line 2120 of a long introduction.
//! Line 2121 of a long introduction.
//! Line 2122 of a long introduction.
//! Line 2123 of a long introduction.
//! Line 2124 of a long introduction.
//! Line 2125 of a long introduction.
//! Line 2126 of a long introduction.
//! Line 2127 of a long introduction.
//! Line 2128 of a long introduction.
//! Line 2129 of a long introduction.
//! Line 2130 of a long introduction.
//! Line 2131 of a long introduction.
//! Line 2132 of a long introduction.
//! Line 2133 of a long introduction.
//! Line 2134 of a long introduction.
//! Line 2135 of a long introduction.
//! Line 2136 of a long introduction.
//! Line 2137 of a long introduction.
//! Line 2138 of a long introduction.
//! Line 2139 of a long introduction.
//! Line 2140 of a long introduction.
//! Line 2141 of a long introduction.
//! Line 2142 of a long introduction.
//! Line 2143 of a long introduction.
//! Line 2144 of a long introduction.
//! Line 2145 of a long introduction.
//! Line 2146 of a long introduction.
//! Line 2147 of a long introduction.
//! Line 2148 of a long introduction.
//! Line 2149 of a long introduction.
//! Line 2150 of a long introduction.
//! Line 2151 of a long introduction.
//! Line 2152 of a long introduction.
//! Line 2153 of a long introduction.
//! Line 2154 of a long introduction.
//! Line 2155 of a long introduction.
//! Line 2156 of a long introduction.
//! Line 2157 of a long introduction.
//! Line 2158 of a long introduction.
//! Line 2159 of a long introduction.
//! Line 2160 of a long introduction.
//! Line 2161 of a long introduction.
//! Line 2162 of a long introduction.
//! Line 2163 of a long introduction.
//! Line 2164 of a long introduction.
//! Line 2165 of a long introduction.
//! Line 2166 of a long introduction.
//! Line 2167 of a long introduction.
//! Line 2168 of a long introduction.
//! Line 2169 of a long introduction.
//! Line 2170 of a long introduction.
//! Line 2171 of a long introduction.
//! Line 2172 of a long introduction.
//! Line 2173 of a long introduction.
//! Line 2174 of a long introduction.
//! Line 2175 of a long introduction.
//! Line 2176 of a long introduction.
//! Line 2177 of a long introduction.
//! Line 2178 of a long introduction.
//! Line 2179 of a long introduction.
//! Line 2180 of a long introduction.
//! Line 2181 of a long introduction.
//! Line 2182 of a long introduction.
//! Line 2183 of a long introduction.
//! Line 2184 of a long introduction.
//! Line 2185 of a long introduction.
//! Line 2186 of a long introduction.
//! Line 2187 of a long introduction.
//! Line 2188 of a long introduction.
//! Line 2189 of a long introduction.
//! Line 2190 of a long introduction.
//! Line 2191 of a long introduction.
//! Line 2192 of a long introduction.
//! Line 2193 of a long introduction.
//! Line 2194 of a long introduction.
//! Line 2195 of a long introduction.
//! Line 2196 of a long introduction.
//! Line 2197 of a long introduction.
//! Line 2198 of a long introduction.
//! Line 2199 of a long introduction.
//! Line 2200 of a long introduction.
//! Line 2201 of a long introduction.
//! Line 2202 of a long introduction.
//! Line 2203 of a long introduction.
//! Line 2204 of a long introduction.
//! Line 2205 of a long introduction.
//! Line 2206 of a long introduction.
//! Line 2207 of a long introduction.
//! Line 2208 of a long introduction.
//! Line 2209 of a long introduction.
//! Line 2210 of a long introduction.
//! Line 2211 of a long introduction.
//! Line 2212 of a long introduction.
//! Line 2213 of a long introduction.
//! Line 2214 of a long introduction.
//! Line 2215 of a long introduction.
//! Line 2216 of a long introduction.
//! Line 2217 of a long introduction.
//! Line 2218 of a long introduction.
//! Line 2219 of a long introduction.
//! Line 2220 of a long introduction.
//! Line 2221 of a long introduction.
//! Line 2222 of a long introduction.
//! Line 2223 of a long introduction.
//! Line 2224 of a long introduction.
//! Line 2225 of a long introduction.
//! Line 2226 of a long introduction.
//! Line 2227 of a long introduction.
//! Line 2228 of a long introduction.
//! Line 2229 of a long introduction.
//! Line 2230 of a long introduction.
//! Line 2231 of a long introduction.
//! Line 2232 of a long introduction.
//! Line 2233 of a long introduction.
//! Line 2234 of a long introduction.
//! Line 2235 of a long introduction.
//! Line 2236 of a long introduction.
//! Line 2237 of a long introduction.
//! Line 2238 of a long introduction.
//! Line 2239 of a long introduction.
//! Line 2240 of a long introduction.
//! Line 2241 of a long introduction.
//! Line 2242 of a long introduction.
//! Line 2243 of a long introduction.
//! Line 2244 of a long introduction.
//! Line 2245 of a long introduction.
//! Line 2246 of a long introduction.
//! Line 2247 of a long introduction.
//! Line 2248 of a long introduction.
//! Line 2249 of a long introduction.
//! Line 2250 of a long introduction.
//! Line 2251 of a long introduction.
//! Line 2252 of a long introduction.
//! Line 2253 of a long introduction.
//! Line 2254 of a long introduction.
//! Line 2255 of a long introduction.
//! Line 2256 of a long introduction.
//! Line 2257 of a long introduction.
//! Line 2258 of a long introduction.
//! Line 2259 of a long introduction.
//! Line 2260 of a long introduction.
//! Line 2261 of a long introduction.
//! Line 2262 of a long introduction.
//! Line 2263 of a long introduction.
//! Line 2264 of a long introduction.
//! Line 2265 of a long introduction.
//! Line 2266 of a long introduction.
//! Line 2267 of a long introduction.
//! Line 2268 of a long introduction.
//! Line 2269 of a long introduction.
//! Line 2270 of a long introduction.
//! Line 2271 of a long introduction.
//! Line 2272 of a long introduction.
//! Line 2273 of a long introduction.
//! Line 2274 of a long introduction.
//! Line 2275 of a long introduction.
//! Line 2276 of a long introduction.
//! Line 2277 of a long introduction.
//! Line 2278 of a long introduction.
//! Line 2279 of a long introduction.
//! Line 2280 of a long introduction.
//! Line 2281 of a long introduction.
//! Line 2282 of a long introduction.
//! Line 2283 of a long introduction.
//! Line 2284 of a long introduction.
//! Line 2285 of a long introduction.
//! Line 2286 of a long introduction.
//! Line 2287 of a long introduction.
//! Line 2288 of a long introduction.
//! Line 2289 of a long introduction.
//! Line 2290 of a long introduction.
//! Line 2291 of a long introduction.
//! Line 2292 of a long introduction.
//! Line 2293 of a long introduction.
//! Line 2294 of a long introduction.
//! Line 2295 of a long introduction.
//! Line 2296 of a long introduction.
//! Line 2297 of a long introduction.
//! Line 2298 of a long introduction.
//! Line 2299 of a long introduction.
//! Line 2300 of a long introduction.
//! Line 2301 of a long introduction.
//! Line 2302 of a long introduction.
//! Line 2303 of a long introduction.
//! Line 2304 of a long introduction.
//! Line 2305 of a long introduction.
//! Line 2306 of a long introduction.
//! Line 2307 of a long introduction.
//! Line 2308 of a long introduction.
//! Line 2309 of a long introduction.
//! Line 2310 of a long introduction.
//! Line 2311 of a long introduction.
//! Line 2312 of a long introduction.
//! Line 2313 of a long introduction.
//! Line 2314 of a long introduction.
//! Line 2315 of a long introduction.
//! Line 2316 of a long introduction.
//! Line 2317 of a long introduction.
//! Line 2318 of a long introduction.
//! Line 2319 of a long introduction.
//! Line 2320 of a long introduction.
//! Line 2321 of a long introduction.
//! Line 2322 of a long introduction.
//! Line 2323 of a long introduction.
//! Line 2324 of a long introduction.
//! Line 2325 of a long introduction.
//! Line 2326 of a long introduction.
//! Line 2327 of a long introduction.
//! Line 2328 of a long introduction.
//! Line 2329 of a long introduction.
//! Line 2330 of a long introduction.
//! Line 2331 of a long introduction.
//! Line 2332 of a long introduction.
//! Line 2333 of a long introduction.
//! Line 2334 of a long introduction.
//! Line 2335 of a long introduction.
//! Line 2336 of a long introduction.
//! Line 2337 of a long introduction.
//! Line 2338 of a long introduction.
//! Line 2339 of a long introduction.
//! Line 2340 of a long introduction.
//! Line 2341 of a long introduction.
//! Line 2342 of a long introduction.
//! Line 2343 of a long introduction.
//! Line 2344 of a long introduction.
//! Line 2345 of a long introduction.
//! Line 2346 of a long introduction.
//! Line 2347 of a long introduction.
//! Line 2348 of a long introduction.
//! Line 2349 of a long introduction.
//! Line 2350 of a long introduction.
//! Line 2351 of a long introduction.
//! Line 2352 of a long introduction.
//! Line 2353 of a long introduction.
//! Line 2354 of a long introduction.
//! Line 2355 of a long introduction.
//! Line 2356 of a long introduction.
//! Line 2357 of a long introduction.
//! Line 2358 of a long introduction.
//! Line 2359 of a long introduction.
//! Line 2360 of a long introduction.
//! Line 2361 of a long introduction.
//! Line 2362 of a long introduction.
//! Line 2363 of a long introduction.
//! Line 2364 of a long introduction.
//! Line 2365 of a long introduction.
//! Line 2366 of a long introduction.
//! Line 2367 of a long introduction.
//! Line 2368 of a long introduction.
//! Line 2369 of a long introduction.
//! Line 2370 of a long introduction.
//! Line 2371 of a long introduction.
//! Line 2372 of a long introduction.
//! Line 2373 of a long introduction.
//! Line 2374 of a long introduction.
//! Line 2375 of a long introduction.
//! Line 2376 of a long introduction.
//! Line 2377 of a long introduction.
//! Line 2378 of a long introduction.
//! Line 2379 of a long introduction.
//! Line 2380 of a long introduction.
//! Line 2381 of a long introduction.
//! Line 2382 of a long introduction.
//! Line 2383 of a long introduction.
//! Line 2384 of a long introduction.
//! Line 2385 of a long introduction.
//! Line 2386 of a long introduction.
//! Line 2387 of a long introduction.
//! Line 2388 of a long introduction.
//! Line 2389 of a long introduction.
//! Line 2390 of a long introduction.
//! Line 2391 of a long introduction.
//! Line 2392 of a long introduction.
//! Line 2393 of a long introduction.
//! Line 2394 of a long introduction.
//! Line 2395 of a long introduction.
//! Line 2396 of a long introduction.
//! Line 2397 of a long introduction.
//! Line 2398 of a long introduction.
//! Line 2399 of a long introduction.
//! Line 2400 of a long introduction.
//! Line 2401 of a long introduction.
//! Line 2402 of a long introduction.
//! Line 2403 of a long introduction.
//! Line 2404 of a long introduction.
//! Line 2405 of a long introduction.
//! Line 2406 of a long introduction.
//! Line 2407 of a long introduction.
//! Line 2408 of a long introduction.
//! Line 2409 of a long introduction.
//! Line 2410 of a long introduction.
//! Line 2411 of a long introduction.
//! Line 2412 of a long introduction.
//! Line 2413 of a long introduction.
//! Line 2414 of a long introduction.
//! Line 2415 of a long introduction.
//! Line 2416 of a long introduction.
//! Line 2417 of a long introduction.
//! Line 2418 of a long introduction.
//! Line 2419 of a long introduction.
//! Line 2420 of a long introduction.
//! Line 2421 of a long introduction.
//! Line 2422 of a long introduction.
//! Line 2423 of a long introduction.
//! Line 2424 of a long introduction.
//! Line 2425 of a long introduction.
//! Line 2426 of a long introduction.
//! Line 2427 of a long introduction.
//! Line 2428 of a long introduction.
//! Line 2429 of a long introduction.
//! Line 2430 of a long introduction.
//! Line 2431 of a long introduction.
//! Line 2432 of a long introduction.
//! Line 2433 of a long introduction.
//! Line 2434 of a long introduction.
//! Line 2435 of a long introduction.
//! Line 2436 of a long introduction.
//! Line 2437 of a long introduction.
//! Line 2438 of a long introduction.
//! Line 2439 of a long introduction.
//! Line 2440 of a long introduction.
//! Line 2441 of a long introduction.
//! Line 2442 of a long introduction.
//! Line 2443 of a long introduction.
//! Line 2444 of a long introduction.
//! Line 2445 of a long introduction.
//! Line 2446 of a long introduction.
//! Line 2447 of a long introduction.
//! Line 2448 of a long introduction.
//! Line 2449 of a long introduction.
//! Line 2450 of a long introduction.
//! Line 2451 of a long introduction.
//! Line 2452 of a long introduction.
//! Line 2453 of a long introduction.
//! Line 2454 of a long introduction.
//! Line 2455 of a long introduction.
//! Line 2456 of a long introduction.
//! Line 2457 of a long introduction.
//! Line 2458 of a long introduction.
//! Line 2459 of a long introduction.
//! Line 2460 of a long introduction.
//! Line 2461 of a long introduction.
//! Line 2462 of a long introduction.
//! Line 2463 of a long introduction.
//! Line 2464 of a long introduction.
//! Line 2465 of a long introduction.
//! Line 2466 of a long introduction.
//! Line 2467 of a long introduction.
//! Line 2468 of a long introduction.
//! Line 2469 of a long introduction.
//! Line 2470 of a long introduction.
//! Line 2471 of a long introduction.
//! Line 2472 of a long introduction.
//! Line 2473 of a long introduction.
//! Line 2474 of a long introduction.
//! Line 2475 of a long introduction.
//! Line 2476 of a long introduction.
//! Line 2477 of a long introduction.
//! Line 2478 of a long introduction.
//! Line 2479 of a long introduction.
//! Line 2480 of a long introduction.
//! Line 2481 of a long introduction.
//! Line 2482 of a long introduction.
//! Line 2483 of a long introduction.
//! Line 2484 of a long introduction.
//! Line 2485 of a long introduction.
//! Line 2486 of a long introduction.
//! Line 2487 of a long introduction.
//! Line 2488 of a long introduction.
//! Line 2489 of a long introduction.
//! Line 2490 of a long introduction.
//! Line 2491 of a long introduction.
//! Line 2492 of a long introduction.
//! Line 2493 of a long introduction.
//! Line 2494 of a long introduction.
//! Line 2495 of a long introduction.
//! Line 2496 of a long introduction.
//! Line 2497 of a long introduction.
//! Line 2498 of a long introduction.
//! Line 2499 of a long introduction.
//! Line 2500 of a long introduction.
//! Line 2501 of a long introduction.
//! Line 2502 of a long introduction.
//! Line 2503 of a long introduction.
//! Line 2504 of a long introduction.
//! Line 2505 of a long introduction.
//! Line 2506 of a long introduction.
//! Line 2507 of a long introduction.
//! Line 2508 of a long introduction.
//! Line 2509 of a long introduction.
//! Line 2510 of a long introduction.
//! Line 2511 of a long introduction.
//! Line 2512 of a long introduction.
//! Line 2513 of a long introduction.
//! Line 2514 of a long introduction.
//! Line 2515 of a long introduction.
//! Line 2516 of a long introduction.
//! Line 2517 of a long introduction.
//! Line 2518 of a long introduction.
//! Line 2519 of a long introduction.
//! Line 2520 of a long introduction.
//! Line 2521 of a long introduction.
//! Line 2522 of a long introduction.
//! Line 2523 of a long introduction.
//! Line 2524 of a long introduction.
//! Line 2525 of a long introduction.
//! Line 2526 of a long introduction.
//! Line 2527 of a long introduction.
//! Line 2528 of a long introduction.
//! Line 2529 of a long introduction.
//! Line 2530 of a long introduction.
//! Line 2531 of a long introduction.
//! Line 2532 of a long introduction.
//! Line 2533 of a long introduction.
//! Line 2534 of a long introduction.
//! Line 2535 of a long introduction.
//! Line 2536 of a long introduction.
//! Line 2537 of a long introduction.
//! Line 2538 of a long introduction.
//! Line 2539 of a long introduction.
//! Line 2540 of a long introduction.
//! Line 2541 of a long introduction.
//! Line 2542 of a long introduction.
//! Line 2543 of a long introduction.
//! Line 2544 of a long introduction.
//! Line 2545 of a long introduction.
//! Line 2546 of a long introduction.
//! Line 2547 of a long introduction.
//! Line 2548 of a long introduction.
//! Line 2549 of a long introduction.
//! Line 2550 of a long introduction.
//! Line 2551 of a long introduction.
//! Line 2552 of a long introduction.
//! Line 2553 of a long introduction.
//! Line 2554 of a long introduction.
//! Line 2555 of a long introduction.
//! Line 2556 of a long introduction.
//! Line 2557 of a long introduction.
//! Line 2558 of a long introduction.
//! Line 2559 of a long introduction.
//! Line 2560 of a long introduction.
//! Line 2561 of a long introduction.
//! Line 2562 of a long introduction.
//! Line 2563 of a long introduction.
//! Line 2564 of a long introduction.
//! Line 2565 of a long introduction.
//! Line 2566 of a long introduction.
//! Line 2567 of a long introduction.
//! Line 2568 of a long introduction.
//! Line 2569 of a long introduction.
//! Line 2570 of a long introduction.
//! Line 2571 of a long introduction.
//! Line 2572 of a long introduction.
//! Line 2573 of a long introduction.
//! Line 2574 of a long introduction.
//! Line 2575 of a long introduction.
//! Line 2576 of a long introduction.
//! Line 2577 of a long introduction.
//! Line 2578 of a long introduction.
//! Line 2579 of a long introduction.
//! Line 2580 of a long introduction.
//! Line 2581 of a long introduction.
//! Line 2582 of a long introduction.
//! Line 2583 of a long introduction.
//! Line 2584 of a long introduction.
//! Line 2585 of a long introduction.
//! Line 2586 of a long introduction.
//! Line 2587 of a long introduction.
//! Line 2588 of a long introduction.
//! Line 2589 of a long introduction.
//! Line 2590 of a long introduction.
//! Line 2591 of a long introduction.
//! Line 2592 of a long introduction.
//! Line 2593 of a long introduction.
//! Line 2594 of a long introduction.
//! Line 2595 of a long introduction.
//! Line 2596 of a long introduction.
//! Line 2597 of a long introduction.
//! Line 2598 of a long introduction.
//! Line 2599 of a long introduction.
//! Line 2600 of a long introduction.
//! Line 2601 of a long introduction.
//! Line 2602 of a long introduction.
//! Line 2603 of a long introduction.
//! Line 2604 of a long introduction.
//! Line 2605 of a long introduction.
//! Line 2606 of a long introduction.
//! Line 2607 of a long introduction.
//! Line 2608 of a long introduction.
//! Line 2609 of a long introduction.
//! Line 2610 of a long introduction.
//! Line 2611 of a long introduction.
//! Line 2612 of a long introduction.
//! Line 2613 of a long introduction.
//! Line 2614 of a long introduction.
//! Line 2615 of a long introduction.
//! Line 2616 of a long introduction.
//! Line 2617 of a long introduction.
//! Line 2618 of a long introduction.
//! Line 2619 of a long introduction.
//! Line 2620 of a long introduction.
//! Line 2621 of a long introduction.
//! Line 2622 of a long introduction.
//! Line 2623 of a long introduction.
//! Line 2624 of a long introduction.
//! Line 2625 of a long introduction.
//! Line 2626 of a long introduction.
//! Line 2627 of a long introduction.
//! Line 2628 of a long introduction.
//! Line 2629 of a long introduction.
//! Line 2630 of a long introduction.
//! Line 2631 of a long introduction.
//! Line 2632 of a long introduction.
//! Line 2633 of a long introduction.
//! Line 2634 of a long introduction.
//! Line 2635 of a long introduction.
//! Line 2636 of a long introduction.
//! Line 2637 of a long introduction.
//! Line 2638 of a long introduction.
//! Line 2639 of a long introduction.
//! Line 2640 of a long introduction.
//! Line 2641 of a long introduction.
//! Line 2642 of a long introduction.
//! Line 2643 of a long introduction.
//! Line 2644 of a long introduction.
//! Line 2645 of a long introduction.
//! Line 2646 of a long introduction.
//! Line 2647 of a long introduction.
//! Line 2648 of a long introduction.
//! Line 2649 of a long introduction.
//! Line 2650 of a long introduction.
//! Line 2651 of a long introduction.
//! Line 2652 of a long introduction.
//! Line 2653 of a long introduction.
//! Line 2654 of a long introduction.
//! Line 2655 of a long introduction.
//! Line 2656 of a long introduction.
//! Line 2657 of a long introduction.
//! Line 2658 of a long introduction.
//! Line 2659 of a long introduction.
//! Line 2660 of a long introduction.
//! Line 2661 of a long introduction.
//! Line 2662 of a long introduction.
//! Line 2663 of a long introduction.
//! Line 2664 of a long introduction.
//! Line 2665 of a long introduction.
//! Line 2666 of a long introduction.
//! Line 2667 of a long introduction.
//! Line 2668 of a long introduction.
//! Line 2669 of a long introduction.
//! Line 2670 of a long introduction.
//! Line 2671 of a long introduction.
//! Line 2672 of a long introduction.
//! Line 2673 of a long introduction.
//! Line 2674 of a long introduction.
//! Line 2675 of a long introduction.
//! Line 2676 of a long introduction.
//! Line 2677 of a long introduction.
//! Line 2678 of a long introduction.
//! Line 2679 of a long introduction.
//! Line 2680 of a long introduction.
//! Line 2681 of a long introduction.
//! Line 2682 of a long introduction.
//! Line 2683 of a long introduction.
//! Line 2684 of a long introduction.
//! Line 2685 of a long introduction.
//! Line 2686 of a long introduction.
//! Line 2687 of a long introduction.
//! Line 2688 of a long introduction.
//! Line 2689 of a long introduction.
//! Line 2690 of a long introduction.
//! Line 2691 of a long introduction.
//! Line 2692 of a long introduction.
//! Line 2693 of a long introduction.
//! Line 2694 of a long introduction.
//! Line 2695 of a long introduction.
//! Line 2696 of a long introduction.
//! Line 2697 of a long introduction.
//! Line 2698 of a long introduction.
//! Line 2699 of a long introduction.
//! Line 2700 of a long introduction.
//! Line 2701 of a long introduction.
//! Line 2702 of a long introduction.
//! Line 2703 of a long introduction.
//! Line 2704 of a long introduction.
//! Line 2705 of a long introduction.
//! Line 2706 of a long introduction.
//! Line 2707 of a long introduction.
//! Line 2708 of a long introduction.
//! Line 2709 of a long introduction.
//! Line 2710 of a long introduction.
//! Line 2711 of a long introduction.
//! Line 2712 of a long introduction.
//! Line 2713 of a long introduction.
//! Line 2714 of a long introduction.
//! Line 2715 of a long introduction.
//! Line 2716 of a long introduction.
//! Line 2717 of a long introduction.
//! Line 2718 of a long introduction.
//! Line 2719 of a long introduction.
//! Line 2720 of a long introduction.
//! Line 2721 of a long introduction.
//! Line 2722 of a long introduction.
//! Line 2723 of a long introduction.
//! Line 2724 of a long introduction.
//! Line 2725 of a long introduction.
//! Line 2726 of a long introduction.
//! Line 2727 of a long introduction.
//! Line 2728 of a long introduction.
//! Line 2729 of a long introduction.
//! Line 2730 of a long introduction.
//! Line 2731 of a long introduction.
//! Line 2732 of a long introduction.
//! Line 2733 of a long introduction.
//! Line 2734 of a long introduction.
//! Line 2735 of a long introduction.
//! Line 2736 of a long introduction.
//! Line 2737 of a long introduction.
//! Line 2738 of a long introduction.
//! Line 2739 of a long introduction.
//! Line 2740 of a long introduction.
//! Line 2741 of a long introduction.
//! Line 2742 of a long introduction.
//! Line 2743 of a long introduction.
//! Line 2744 of a long introduction.
//! Line 2745 of a long introduction.
//! Line 2746 of a long introduction.
//! Line 2747 of a long introduction.
//! Line 2748 of a long introduction.
//! Line 2749 of a long introduction.
//! Line 2750 of a long introduction.
//! Line 2751 of a long introduction.
//! Line 2752 of a long introduction.
//! Line 2753 of a long introduction.
//! Line 2754 of a long introduction.
//! Line 2755 of a long introduction.
//! Line 2756 of a long introduction.
//! Line 2757 of a long introduction.
//! Line 2758 of a long introduction.
//! Line 2759 of a long introduction.
//! Line 2760 of a long introduction.
//! Line 2761 of a long introduction.
//! Line 2762 of a long introduction.
//! Line 2763 of a long introduction.
//! Line 2764 of a long introduction.
//! Line 2765 of a long introduction.
//! Line 2766 of a long introduction.
//! Line 2767 of a long introduction.
//! Line 2768 of a long introduction.
//! Line 2769 of a long introduction.
//! Line 2770 of a long introduction.
//! Line 2771 of a long introduction.
//! Line 2772 of a long introduction.
//! Line 2773 of a long introduction.
//! Line 2774 of a long introduction.
//! Line 2775 of a long introduction.
//! Line 2776 of a long introduction.
//! Line 2777 of a long introduction.
//! Line 2778 of a long introduction.
//! Line 2779 of a long introduction.
//! Line 2780 of a long introduction.
//! Line 2781 of a long introduction.
//! Line 2782 of a long introduction.
//! Line 2783 of a long introduction.
//! Line 2784 of a long introduction.
//! Line 2785 of a long introduction.
//! Line 2786 of a long introduction.
//! Line 2787 of a long introduction.
//! Line 2788 of a long introduction.
//! Line 2789 of a long introduction.
//! Line 2790 of a long introduction.
//! Line 2791 of a long introduction.
//! Line 2792 of a long introduction.
//! Line 2793 of a long introduction.
//! Line 2794 of a long introduction.
//! Line 2795 of a long introduction.
//! Line 2796 of a long introduction.
//! Line 2797 of a long introduction.
//! Line 2798 of a long introduction.
//! Line 2799 of a long introduction.
//! Line 2800 of a long introduction.
//! Line 2801 of a long introduction.
//! Line 2802 of a long introduction.
//! Line 2803 of a long introduction.
//! Line 2804 of a long introduction.
//! Line 2805 of a long introduction.
//! Line 2806 of a long introduction.
//! Line 2807 of a long introduction.
//! Line 2808 of a long introduction.
//! Line 2809 of a long introduction.
//! Line 2810 of a long introduction.
//! Line 2811 of a long introduction.
//! Line 2812 of a long introduction.
//! Line 2813 of a long introduction.
//! Line 2814 of a long introduction.
//! Line 2815 of a long introduction.
//! Line 2816 of a long introduction.
//! Line 2817 of a long introduction.
//! Line 2818 of a long introduction.
//! Line 2819 of a long introduction.
//! Line 2820 of a long introduction.
//! Line 2821 of a long introduction.
//! Line 2822 of a long introduction.
//! Line 2823 of a long introduction.
//! Line 2824 of a long introduction.
//! Line 2825 of a long introduction.
//! Line 2826 of a long introduction.
//! Line 2827 of a long introduction.
//! Line 2828 of a long introduction.
//! Line 2829 of a long introduction.
//! Line 2830 of a long introduction.
//! Line 2831 of a long introduction.
//! Line 2832 of a long introduction.
//! Line 2833 of a long introduction.
//! Line 2834 of a long introduction.
//! Line 2835 of a long introduction.
//! Line 2836 of a long introduction.
//! Line 2837 of a long introduction.
//! Line 2838 of a long introduction.
//! Line 2839 of a long introduction.
//! Line 2840 of a long introduction.
//! Line 2841 of a long introduction.
//! Line 2842 of a long introduction.
//! Line 2843 of a long introduction.
//! Line 2844 of a long introduction.
//! Line 2845 of a long introduction.
//! Line 2846 of a long introduction.
//! Line 2847 of a long introduction.
//! Line 2848 of a long introduction.
//! Line 2849 of a long introduction.
//! Line 2850 of a long introduction.
//! Line 2851 of a long introduction.
//! Line 2852 of a long introduction.
//! Line 2853 of a long introduction.
//! Line 2854 of a long introduction.
//! Line 2855 of a long introduction.
//! Line 2856 of a long introduction.
//! Line 2857 of a long introduction.
//! Line 2858 of a long introduction.
//! Line 2859 of a long introduction.
//! Line 2860 of a long introduction.
//! Line 2861 of a long introduction.
//! Line 2862 of a long introduction.
//! Line 2863 of a long introduction.
//! Line 2864 of a long introduction.
//! Line 2865 of a long introduction.
//! Line 2866 of a long introduction.
//! Line 2867 of a long introduction.
//! Line 2868 of a long introduction.
//! Line 2869 of a long introduction.
//! Line 2870 of a long introduction.
//! Line 2871 of a long introduction.
//! Line 2872 of a long introduction.
//! Line 2873 of a long introduction.
//! Line 2874 of a long introduction.
//! Line 2875 of a long introduction.
//! Line 2876 of a long introduction.
//! Line 2877 of a long introduction.
//! Line 2878 of a long introduction.
//! Line 2879 of a long introduction.
//! Line 2880 of a long introduction.
//! Line 2881 of a long introduction.
//! Line 2882 of a long introduction.
//! Line 2883 of a long introduction.
//! Line 2884 of a long introduction.
//! Line 2885 of a long introduction.
//! Line 2886 of a long introduction.
//! Line 2887 of a long introduction.
//! Line 2888 of a long introduction.
//! Line 2889 of a long introduction.
//! Line 2890 of a long introduction.
//! Line 2891 of a long introduction.
//! Line 2892 of a long introduction.
//! Line 2893 of a long introduction.
//! Line 2894 of a long introduction.
//! Line 2895 of a long introduction.
//! Line 2896 of a long introduction.
//! Line 2897 of a long introduction.
//! Line 2898 of a long introduction.
//! Line 2899 of a long introduction.
//! Line 2900 of a long introduction.
//! Line 2901 of a long introduction.
//! Line 2902 of a long introduction.
//! Line 2903 of a long introduction.
//! Line 2904 of a long introduction.
//! Line 2905 of a long introduction.
//! Line 2906 of a long introduction.
//! Line 2907 of a long introduction.
//! Line 2908 of a long introduction.
//! Line 2909 of a long introduction.
//! Line 2910 of a long introduction.
//! Line 2911 of a long introduction.
//! Line 2912 of a long introduction.
//! Line 2913 of a long introduction.
//! Line 2914 of a long introduction.
//! Line 2915 of a long introduction.
//! Line 2916 of a long introduction.
//! Line 2917 of a long introduction.
//! Line 2918 of a long introduction.
//! Line 2919 of a long introduction.
//! Line 2920 of a long introduction.
//! Line 2921 of a long introduction.
//! Line 2922 of a long introduction.
//! Line 2923 of a long introduction.
//! Line 2924 of a long introduction.
//! Line 2925 of a long introduction.
//! Line 2926 of a long introduction.
//! Line 2927 of a long introduction.
//! Line 2928 of a long introduction.
//! Line 2929 of a long introduction.
//! Line 2930 of a long introduction.
//! Line 2931 of a long introduction.
//! Line 2932 of a long introduction.
//! Line 2933 of a long introduction.
//! Line 2934 of a long introduction.
//! Line 2935 of a long introduction.
//! Line 2936 of a long introduction.
//! Line 2937 of a long introduction.
//! Line 2938 of a long introduction.
//! Line 2939 of a long introduction.
//! Line 2940 of a long introduction.
//! Line 2941 of a long introduction.
//! Line 2942 of a long introduction.
//! Line 2943 of a long introduction.
//! Line 2944 of a long introduction.
//! Line 2945 of a long introduction.
//! Line 2946 of a long introduction.
//! Line 2947 of a long introduction.
//! Line 2948 of a long introduction.
//! Line 2949 of a long introduction.
//! Line 2950 of a long introduction.
//! Line 2951 of a long introduction.
//! Line 2952 of a long introduction.
//! Line 2953 of a long introduction.
//! Line 2954 of a long introduction.
//! Line 2955 of a long introduction.
//! Line 2956 of a long introduction.
//! Line 2957 of a long introduction.
//! Line 2958 of a long introduction.
//! Line 2959 of a long introduction.
//! Line 2960 of a long introduction.
//! Line 2961 of a long introduction.
//! Line 2962 of a long introduction.
//! Line 2963 of a long introduction.
//! Line 2964 of a long introduction.
//! Line 2965 of a long introduction.
//! Line 2966 of a long introduction.
//! Line 2967 of a long introduction.
//! Line 2968 of a long introduction.
//! Line 2969 of a long introduction.
//! Line 2970 of a long introduction.
//! Line 2971 of a long introduction.
//! Line 2972 of a long introduction.
//! Line 2973 of a long introduction.
//! Line 2974 of a long introduction.
//! Line 2975 of a long introduction.
//! Line 2976 of a long introduction.
//! Line 2977 of a long introduction.
//! Line 2978 of a long introduction.
//! Line 2979 of a long introduction.
//! Line 2980 of a long introduction.
//! Line 2981 of a long introduction.
//! Line 2982 of a long introduction.
//! Line 2983 of a long introduction.
//! Line 2984 of a long introduction.
//! Line 2985 of a long introduction.
//! Line 2986 of a long introduction.
//! Line 2987 of a long introduction.
//! Line 2988 of a long introduction.
//! Line 2989 of a long introduction.
//! Line 2990 of a long introduction.
//! Line 2991 of a long introduction.
//! Line 2992 of a long introduction.
//! Line 2993 of a long introduction.
//! Line 2994 of a long introduction.
//! Line 2995 of a long introduction.
//! Line 2996 of a long introduction.
//! Line 2997 of a long introduction.
//! Line 2998 of a long introduction.
//! Line 2999 of a long introduction.

use assay_sdk::*;

const WEIGHTS: [[f64; 40]; 300] = [
    [0.5, 11.5, 22.5, 33.5, 44.5, 55.5, 66.5, 77.5, 88.5, 99.5, 110.5, 121.5, 132.5, 143.5, 154.5, 165.5, 176.5, 187.5, 198.5, 209.5, 220.5, 231.5, 242.5, 253.5, 264.5, 275.5, 286.5, 297.5, 308.5, 319.5, 330.5, 341.5, 352.5, 363.5, 374.5, 385.5, 396.5, 407.5, 418.5, 429.5],
    [37.5, 48.5, 59.5, 70.5, 81.5, 92.5, 103.5, 114.5, 125.5, 136.5, 147.5, 158.5, 169.5, 180.5, 191.5, 202.5, 213.5, 224.5, 235.5, 246.5, 257.5, 268.5, 279.5, 290.5, 301.5, 312.5, 323.5, 334.5, 345.5, 356.5, 367.5, 378.5, 389.5, 400.5, 411.5, 422.5, 433.5, 444.5, 455.5, 466.5],
    [74.5, 85.5, 96.5, 107.5, 118.5, 129.5, 140.5, 151.5, 162.5, 173.5, 184.5, 195.5, 206.5, 217.5, 228.5, 239.5, 250.5, 261.5, 272.5, 283.5, 294.5, 305.5, 316.5, 327.5, 338.5, 349.5, 360.5, 371.5, 382.5, 393.5, 404.5, 415.5, 426.5, 437.5, 448.5, 459.5, 470.5, 481.5, 492.5, 503.5],
    [111.5, 122.5, 133.5, 144.5, 155.5, 166.5, 177.5, 188.5, 199.5, 210.5, 221.5, 232.5, 243.5, 254.5, 265.5, 276.5, 287.5, 298.5, 309.5, 320.5, 331.5, 342.5, 353.5, 364.5, 375.5, 386.5, 397.5, 408.5, 419.5, 430.5, 441.5, 452.5, 463.5, 474.5, 485.5, 496.5, 507.5, 518.5, 529.5, 540.5],
    [148.5, 159.5, 170.5, 181.5, 192.5, 203.5, 214.5, 225.5, 236.5, 247.5, 258.5, 269.5, 280.5, 291.5, 302.5, 313.5, 324.5, 335.5, 346.5, 357.5, 368.5, 379.5, 390.5, 401.5, 412.5, 423.5, 434.5, 445.5, 456.5, 467.5, 478.5, 489.5, 500.5, 511.5, 522.5, 533.5, 544.5, 555.5, 566.5, 577.5],
    [185.5, 196.5, 207.5, 218.5, 229.5, 240.5, 251.5, 262.5, 273.5, 284.5, 295.5, 306.5, 317.5, 328.5, 339.5, 350.5, 361.5, 372.5, 383.5, 394.5, 405.5, 416.5, 427.5, 438.5, 449.5, 460.5, 471.5, 482.5, 493.5, 504.5, 515.5, 526.5, 537.5, 548.5, 559.5, 570.5, 581.5, 592.5, 603.5, 614.5],
    [222.5, 233.5, 244.5, 255.5, 266.5, 277.5, 288.5, 299.5, 310.5, 321.5, 332.5, 343.5, 354.5, 365.5, 376.5, 387.5, 398.5, 409.5, 420.5, 431.5, 442.5, 453.5, 464.5, 475.5, 486.5, 497.5, 508.5, 519.5, 530.5, 541.5, 552.5, 563.5, 574.5, 585.5, 596.5, 607.5, 618.5, 629.5, 640.5, 651.5],
    [259.5, 270.5, 281.5, 292.5, 303.5, 314.5, 325.5, 336.5, 347.5, 358.5, 369.5, 380.5, 391.5, 402.5, 413.5, 424.5, 435.5, 446.5, 457.5, 468.5, 479.5, 490.5, 501.5, 512.5, 523.5, 534.5, 545.5, 556.5, 567.5, 578.5, 589.5, 600.5, 611.5, 622.5, 633.5, 644.5, 655.5, 666.5, 677.5, 688.5],
    [296.5, 307.5, 318.5, 329.5, 340.5, 351.5, 362.5, 373.5, 384.5, 395.5, 406.5, 417.5, 428.5, 439.5, 450.5, 461.5, 472.5, 483.5, 494.5, 505.5, 516.5, 527.5, 538.5, 549.5, 560.5, 571.5, 582.5, 593.5, 604.5, 615.5, 626.5, 637.5, 648.5, 659.5, 670.5, 681.5, 692.5, 703.5, 714.5, 725.5],
    [333.5, 344.5, 355.5, 366.5, 377.5, 388.5, 399.5, 410.5, 421.5, 432.5, 443.5, 454.5, 465.5, 476.5, 487.5, 498.5, 509.5, 520.5, 531.5, 542.5, 553.5, 564.5, 575.5, 586.5, 597.5, 608.5, 619.5, 630.5, 641.5, 652.5, 663.5, 674.5, 685.5, 696.5, 707.5, 718.5, 729.5, 740.5, 751.5, 762.5],
    [370.5, 381.5, 392.5, 403.5, 414.5, 425.5, 436.5, 447.5, 458.5, 469.5, 480.5, 491.5, 502.5, 513.5, 524.5, 535.5, 546.5, 557.5, 568.5, 579.5, 590.5, 601.5, 612.5, 623.5, 634.5, 645.5, 656.5, 667.5, 678.5, 689.5, 700.5, 711.5, 722.5, 733.5, 744.5, 755.5, 766.5, 777.5, 788.5, 799.5],
    [407.5, 418.5, 429.5, 440.5, 451.5, 462.5, 473.5, 484.5, 495.5, 506.5, 517.5, 528.5, 539.5, 550.5, 561.5, 572.5, 583.5, 594.5, 605.5, 616.5, 627.5, 638.5, 649.5, 660.5, 671.5, 682.5, 693.5, 704.5, 715.5, 726.5, 737.5, 748.5, 759.5, 770.5, 781.5, 792.5, 803.5, 814.5, 825.5, 836.5],
    [444.5, 455.5, 466.5, 477.5, 488.5, 499.5, 510.5, 521.5, 532.5, 543.5, 554.5, 565.5, 576.5, 587.5, 598.5, 609.5, 620.5, 631.5, 642.5, 653.5, 664.5, 675.5, 686.5, 697.5, 708.5, 719.5, 730.5, 741.5, 752.5, 763.5, 774.5, 785.5, 796.5, 807.5, 818.5, 829.5, 840.5, 851.5, 862.5, 873.5],
    [481.5, 492.5, 503.5, 514.5, 525.5, 536.5, 547.5, 558.5, 569.5, 580.5, 591.5, 602.5, 613.5, 624.5, 635.5, 646.5, 657.5, 668.5, 679.5, 690.5, 701.5, 712.5, 723.5, 734.5, 745.5, 756.5, 767.5, 778.5, 789.5, 800.5, 811.5, 822.5, 833.5, 844.5, 855.5, 866.5, 877.5, 888.5, 899.5, 910.5],
    [518.5, 529.5, 540.5, 551.5, 562.5, 573.5, 584.5, 595.5, 606.5, 617.5, 628.5, 639.5, 650.5, 661.5, 672.5, 683.5, 694.5, 705.5, 716.5, 727.5, 738.5, 749.5, 760.5, 771.5, 782.5, 793.5, 804.5, 815.5, 826.5, 837.5, 848.5, 859.5, 870.5, 881.5, 892.5, 903.5, 914.5, 925.5, 936.5, 947.5],
    [555.5, 566.5, 577.5, 588.5, 599.5, 610.5, 621.5, 632.5, 643.5, 654.5, 665.5, 676.5, 687.5, 698.5, 709.5, 720.5, 731.5, 742.5, 753.5, 764.5, 775.5, 786.5, 797.5, 808.5, 819.5, 830.5, 841.5, 852.5, 863.5, 874.5, 885.5, 896.5, 907.5, 918.5, 929.5, 940.5, 951.5, 962.5, 973.5, 984.5],
    [592.5, 603.5, 614.5, 625.5, 636.5, 647.5, 658.5, 669.5, 680.5, 691.5, 702.5, 713.5, 724.5, 735.5, 746.5, 757.5, 768.5, 779.5, 790.5, 801.5, 812.5, 823.5, 834.5, 845.5, 856.5, 867.5, 878.5, 889.5, 900.5, 911.5, 922.5, 933.5, 944.5, 955.5, 966.5, 977.5, 988.5, 999.5, 10.5, 21.5],
    [629.5, 640.5, 651.5, 662.5, 673.5, 684.5, 695.5, 706.5, 717.5, 728.5, 739.5, 750.5, 761.5, 772.5, 783.5, 794.5, 805.5, 816.5, 827.5, 838.5, 849.5, 860.5, 871.5, 882.5, 893.5, 904.5, 915.5, 926.5, 937.5, 948.5, 959.5, 970.5, 981.5, 992.5, 3.5, 14.5, 25.5, 36.5, 47.5, 58.5],
    [666.5, 677.5, 688.5, 699.5, 710.5, 721.5, 732.5, 743.5, 754.5, 765.5, 776.5, 787.5, 798.5, 809.5, 820.5, 831.5, 842.5, 853.5, 864.5, 875.5, 886.5, 897.5, 908.5, 919.5, 930.5, 941.5, 952.5, 963.5, 974.5, 985.5, 996.5, 7.5, 18.5, 29.5, 40.5, 51.5, 62.5, 73.5, 84.5, 95.5],
    [703.5, 714.5, 725.5, 736.5, 747.5, 758.5, 769.5, 780.5, 791.5, 802.5, 813.5, 824.5, 835.5, 846.5, 857.5, 868.5, 879.5, 890.5, 901.5, 912.5, 923.5, 934.5, 945.5, 956.5, 967.5, 978.5, 989.5, 0.5, 11.5, 22.5, 33.5, 44.5, 55.5, 66.5, 77.5, 88.5, 99.5, 110.5, 121.5, 132.5],
    [740.5, 751.5, 762.5, 773.5, 784.5, 795.5, 806.5, 817.5, 828.5, 839.5, 850.5, 861.5, 872.5, 883.5, 894.5, 905.5, 916.5, 927.5, 938.5, 949.5, 960.5, 971.5, 982.5, 993.5, 4.5, 15.5, 26.5, 37.5, 48.5, 59.5, 70.5, 81.5, 92.5, 103.5, 114.5, 125.5, 136.5, 147.5, 158.5, 169.5],
    [777.5, 788.5, 799.5, 810.5, 821.5, 832.5, 843.5, 854.5, 865.5, 876.5, 887.5, 898.5, 909.5, 920.5, 931.5, 942.5, 953.5, 964.5, 975.5, 986.5, 997.5, 8.5, 19.5, 30.5, 41.5, 52.5, 63.5, 74.5, 85.5, 96.5, 107.5, 118.5, 129.5, 140.5, 151.5, 162.5, 173.5, 184.5, 195.5, 206.5],
    [814.5, 825.5, 836.5, 847.5, 858.5, 869.5, 880.5, 891.5, 902.5, 913.5, 924.5, 935.5, 946.5, 957.5, 968.5, 979.5, 990.5, 1.5, 12.5, 23.5, 34.5, 45.5, 56.5, 67.5, 78.5, 89.5, 100.5, 111.5, 122.5, 133.5, 144.5, 155.5, 166.5, 177.5, 188.5, 199.5, 210.5, 221.5, 232.5, 243.5],
    [851.5, 862.5, 873.5, 884.5, 895.5, 906.5, 917.5, 928.5, 939.5, 950.5, 961.5, 972.5, 983.5, 994.5, 5.5, 16.5, 27.5, 38.5, 49.5, 60.5, 71.5, 82.5, 93.5, 104.5, 115.5, 126.5, 137.5, 148.5, 159.5, 170.5, 181.5, 192.5, 203.5, 214.5, 225.5, 236.5, 247.5, 258.5, 269.5, 280.5],
    [888.5, 899.5, 910.5, 921.5, 932.5, 943.5, 954.5, 965.5, 976.5, 987.5, 998.5, 9.5, 20.5, 31.5, 42.5, 53.5, 64.5, 75.5, 86.5, 97.5, 108.5, 119.5, 130.5, 141.5, 152.5, 163.5, 174.5, 185.5, 196.5, 207.5, 218.5, 229.5, 240.5, 251.5, 262.5, 273.5, 284.5, 295.5, 306.5, 317.5],
    [925.5, 936.5, 947.5, 958.5, 969.5, 980.5, 991.5, 2.5, 13.5, 24.5, 35.5, 46.5, 57.5, 68.5, 79.5, 90.5, 101.5, 112.5, 123.5, 134.5, 145.5, 156.5, 167.5, 178.5, 189.5, 200.5, 211.5, 222.5, 233.5, 244.5, 255.5, 266.5, 277.5, 288.5, 299.5, 310.5, 321.5, 332.5, 343.5, 354.5],
    [962.5, 973.5, 984.5, 995.5, 6.5, 17.5, 28.5, 39.5, 50.5, 61.5, 72.5, 83.5, 94.5, 105.5, 116.5, 127.5, 138.5, 149.5, 160.5, 171.5, 182.5, 193.5, 204.5, 215.5, 226.5, 237.5, 248.5, 259.5, 270.5, 281.5, 292.5, 303.5, 314.5, 325.5, 336.5, 347.5, 358.5, 369.5, 380.5, 391.5],
    [999.5, 10.5, 21.5, 32.5, 43.5, 54.5, 65.5, 76.5, 87.5, 98.5, 109.5, 120.5, 131.5, 142.5, 153.5, 164.5, 175.5, 186.5, 197.5, 208.5, 219.5, 230.5, 241.5, 252.5, 263.5, 274.5, 285.5, 296.5, 307.5, 318.5, 329.5, 340.5, 351.5, 362.5, 373.5, 384.5, 395.5, 406.5, 417.5, 428.5],
    [36.5, 47.5, 58.5, 69.5, 80.5, 91.5, 102.5, 113.5, 124.5, 135.5, 146.5, 157.5, 168.5, 179.5, 190.5, 201.5, 212.5, 223.5, 234.5, 245.5, 256.5, 267.5, 278.5, 289.5, 300.5, 311.5, 322.5, 333.5, 344.5, 355.5, 366.5, 377.5, 388.5, 399.5, 410.5, 421.5, 432.5, 443.5, 454.5, 465.5],
    [73.5, 84.5, 95.5, 106.5, 117.5, 128.5, 139.5, 150.5, 161.5, 172.5, 183.5, 194.5, 205.5, 216.5, 227.5, 238.5, 249.5, 260.5, 271.5, 282.5, 293.5, 304.5, 315.5, 326.5, 337.5, 348.5, 359.5, 370.5, 381.5, 392.5, 403.5, 414.5, 425.5, 436.5, 447.5, 458.5, 469.5, 480.5, 491.5, 502.5],
    [110.5, 121.5, 132.5, 143.5, 154.5, 165.5, 176.5, 187.5, 198.5, 209.5, 220.5, 231.5, 242.5, 253.5, 264.5, 275.5, 286.5, 297.5, 308.5, 319.5, 330.5, 341.5, 352.5, 363.5, 374.5, 385.5, 396.5, 407.5, 418.5, 429.5, 440.5, 451.5, 462.5, 473.5, 484.5, 495.5, 506.5, 517.5, 528.5, 539.5],
    [147.5, 158.5, 169.5, 180.5, 191.5, 202.5, 213.5, 224.5, 235.5, 246.5, 257.5, 268.5, 279.5, 290.5, 301.5, 312.5, 323.5, 334.5, 345.5, 356.5, 367.5, 378.5, 389.5, 400.5, 411.5, 422.5, 433.5, 444.5, 455.5, 466.5, 477.5, 488.5, 499.5, 510.5, 521.5, 532.5, 543.5, 554.5, 565.5, 576.5],
    [184.5, 195.5, 206.5, 217.5, 228.5, 239.5, 250.5, 261.5, 272.5, 283.5, 294.5, 305.5, 316.5, 327.5, 338.5, 349.5, 360.5, 371.5, 382.5, 393.5, 404.5, 415.5, 426.5, 437.5, 448.5, 459.5, 470.5, 481.5, 492.5, 503.5, 514.5, 525.5, 536.5, 547.5, 558.5, 569.5, 580.5, 591.5, 602.5, 613.5],
    [221.5, 232.5, 243.5, 254.5, 265.5, 276.5, 287.5, 298.5, 309.5, 320.5, 331.5, 342.5, 353.5, 364.5, 375.5, 386.5, 397.5, 408.5, 419.5, 430.5, 441.5, 452.5, 463.5, 474.5, 485.5, 496.5, 507.5, 518.5, 529.5, 540.5, 551.5, 562.5, 573.5, 584.5, 595.5, 606.5, 617.5, 628.5, 639.5, 650.5],
    [258.5, 269.5, 280.5, 291.5, 302.5, 313.5, 324.5, 335.5, 346.5, 357.5, 368.5, 379.5, 390.5, 401.5, 412.5, 423.5, 434.5, 445.5, 456.5, 467.5, 478.5, 489.5, 500.5, 511.5, 522.5, 533.5, 544.5, 555.5, 566.5, 577.5, 588.5, 599.5, 610.5, 621.5, 632.5, 643.5, 654.5, 665.5, 676.5, 687.5],
    [295.5, 306.5, 317.5, 328.5, 339.5, 350.5, 361.5, 372.5, 383.5, 394.5, 405.5, 416.5, 427.5, 438.5, 449.5, 460.5, 471.5, 482.5, 493.5, 504.5, 515.5, 526.5, 537.5, 548.5, 559.5, 570.5, 581.5, 592.5, 603.5, 614.5, 625.5, 636.5, 647.5, 658.5, 669.5, 680.5, 691.5, 702.5, 713.5, 724.5],
    [332.5, 343.5, 354.5, 365.5, 376.5, 387.5, 398.5, 409.5, 420.5, 431.5, 442.5, 453.5, 464.5, 475.5, 486.5, 497.5, 508.5, 519.5, 530.5, 541.5, 552.5, 563.5, 574.5, 585.5, 596.5, 607.5, 618.5, 629.5, 640.5, 651.5, 662.5, 673.5, 684.5, 695.5, 706.5, 717.5, 728.5, 739.5, 750.5, 761.5],
    [369.5, 380.5, 391.5, 402.5, 413.5, 424.5, 435.5, 446.5, 457.5, 468.5, 479.5, 490.5, 501.5, 512.5, 523.5, 534.5, 545.5, 556.5, 567.5, 578.5, 589.5, 600.5, 611.5, 622.5, 633.5, 644.5, 655.5, 666.5, 677.5, 688.5, 699.5, 710.5, 721.5, 732.5, 743.5, 754.5, 765.5, 776.5, 787.5, 798.5],
    [406.5, 417.5, 428.5, 439.5, 450.5, 461.5, 472.5, 483.5, 494.5, 505.5, 516.5, 527.5, 538.5, 549.5, 560.5, 571.5, 582.5, 593.5, 604.5, 615.5, 626.5, 637.5, 648.5, 659.5, 670.5, 681.5, 692.5, 703.5, 714.5, 725.5, 736.5, 747.5, 758.5, 769.5, 780.5, 791.5, 802.5, 813.5, 824.5, 835.5],
    [443.5, 454.5, 465.5, 476.5, 487.5, 498.5, 509.5, 520.5, 531.5, 542.5, 553.5, 564.5, 575.5, 586.5, 597.5, 608.5, 619.5, 630.5, 641.5, 652.5, 663.5, 674.5, 685.5, 696.5, 707.5, 718.5, 729.5, 740.5, 751.5, 762.5, 773.5, 784.5, 795.5, 806.5, 817.5, 828.5, 839.5, 850.5, 861.5, 872.5],
    [480.5, 491.5, 502.5, 513.5, 524.5, 535.5, 546.5, 557.5, 568.5, 579.5, 590.5, 601.5, 612.5, 623.5, 634.5, 645.5, 656.5, 667.5, 678.5, 689.5, 700.5, 711.5, 722.5, 733.5, 744.5, 755.5, 766.5, 777.5, 788.5, 799.5, 810.5, 821.5, 832.5, 843.5, 854.5, 865.5, 876.5, 887.5, 898.5, 909.5],
    [517.5, 528.5, 539.5, 550.5, 561.5, 572.5, 583.5, 594.5, 605.5, 616.5, 627.5, 638.5, 649.5, 660.5, 671.5, 682.5, 693.5, 704.5, 715.5, 726.5, 737.5, 748.5, 759.5, 770.5, 781.5, 792.5, 803.5, 814.5, 825.5, 836.5, 847.5, 858.5, 869.5, 880.5, 891.5, 902.5, 913.5, 924.5, 935.5, 946.5],
    [554.5, 565.5, 576.5, 587.5, 598.5, 609.5, 620.5, 631.5, 642.5, 653.5, 664.5, 675.5, 686.5, 697.5, 708.5, 719.5, 730.5, 741.5, 752.5, 763.5, 774.5, 785.5, 796.5, 807.5, 818.5, 829.5, 840.5, 851.5, 862.5, 873.5, 884.5, 895.5, 906.5, 917.5, 928.5, 939.5, 950.5, 961.5, 972.5, 983.5],
    [591.5, 602.5, 613.5, 624.5, 635.5, 646.5, 657.5, 668.5, 679.5, 690.5, 701.5, 712.5, 723.5, 734.5, 745.5, 756.5, 767.5, 778.5, 789.5, 800.5, 811.5, 822.5, 833.5, 844.5, 855.5, 866.5, 877.5, 888.5, 899.5, 910.5, 921.5, 932.5, 943.5, 954.5, 965.5, 976.5, 987.5, 998.5, 9.5, 20.5],
    [628.5, 639.5, 650.5, 661.5, 672.5, 683.5, 694.5, 705.5, 716.5, 727.5, 738.5, 749.5, 760.5, 771.5, 782.5, 793.5, 804.5, 815.5, 826.5, 837.5, 848.5, 859.5, 870.5, 881.5, 892.5, 903.5, 914.5, 925.5, 936.5, 947.5, 958.5, 969.5, 980.5, 991.5, 2.5, 13.5, 24.5, 35.5, 46.5, 57.5],
    [665.5, 676.5, 687.5, 698.5, 709.5, 720.5, 731.5, 742.5, 753.5, 764.5, 775.5, 786.5, 797.5, 808.5, 819.5, 830.5, 841.5, 852.5, 863.5, 874.5, 885.5, 896.5, 907.5, 918.5, 929.5, 940.5, 951.5, 962.5, 973.5, 984.5, 995.5, 6.5, 17.5, 28.5, 39.5, 50.5, 61.5, 72.5, 83.5, 94.5],
    [702.5, 713.5, 724.5, 735.5, 746.5, 757.5, 768.5, 779.5, 790.5, 801.5, 812.5, 823.5, 834.5, 845.5, 856.5, 867.5, 878.5, 889.5, 900.5, 911.5, 922.5, 933.5, 944.5, 955.5, 966.5, 977.5, 988.5, 999.5, 10.5, 21.5, 32.5, 43.5, 54.5, 65.5, 76.5, 87.5, 98.5, 109.5, 120.5, 131.5],
    [739.5, 750.5, 761.5, 772.5, 783.5, 794.5, 805.5, 816.5, 827.5, 838.5, 849.5, 860.5, 871.5, 882.5, 893.5, 904.5, 915.5, 926.5, 937.5, 948.5, 959.5, 970.5, 981.5, 992.5, 3.5, 14.5, 25.5, 36.5, 47.5, 58.5, 69.5, 80.5, 91.5, 102.5, 113.5, 124.5, 135.5, 146.5, 157.5, 168.5],
    [776.5, 787.5, 798.5, 809.5, 820.5, 831.5, 842.5, 853.5, 864.5, 875.5, 886.5, 897.5, 908.5, 919.5, 930.5, 941.5, 952.5, 963.5, 974.5, 985.5, 996.5, 7.5, 18.5, 29.5, 40.5, 51.5, 62.5, 73.5, 84.5, 95.5, 106.5, 117.5, 128.5, 139.5, 150.5, 161.5, 172.5, 183.5, 194.5, 205.5],
    [813.5, 824.5, 835.5, 846.5, 857.5, 868.5, 879.5, 890.5, 901.5, 912.5, 923.5, 934.5, 945.5, 956.5, 967.5, 978.5, 989.5, 0.5, 11.5, 22.5, 33.5, 44.5, 55.5, 66.5, 77.5, 88.5, 99.5, 110.5, 121.5, 132.5, 143.5, 154.5, 165.5, 176.5, 187.5, 198.5, 209.5, 220.5, 231.5, 242.5],
    [850.5, 861.5, 872.5, 883.5, 894.5, 905.5, 916.5, 927.5, 938.5, 949.5, 960.5, 971.5, 982.5, 993.5, 4.5, 15.5, 26.5, 37.5, 48.5, 59.5, 70.5, 81.5, 92.5, 103.5, 114.5, 125.5, 136.5, 147.5, 158.5, 169.5, 180.5, 191.5, 202.5, 213.5, 224.5, 235.5, 246.5, 257.5, 268.5, 279.5],
    [887.5, 898.5, 909.5, 920.5, 931.5, 942.5, 953.5, 964.5, 975.5, 986.5, 997.5, 8.5, 19.5, 30.5, 41.5, 52.5, 63.5, 74.5, 85.5, 96.5, 107.5, 118.5, 129.5, 140.5, 151.5, 162.5, 173.5, 184.5, 195.5, 206.5, 217.5, 228.5, 239.5, 250.5, 261.5, 272.5, 283.5, 294.5, 305.5, 316.5],
    [924.5, 935.5, 946.5, 957.5, 968.5, 979.5, 990.5, 1.5, 12.5, 23.5, 34.5, 45.5, 56.5, 67.5, 78.5, 89.5, 100.5, 111.5, 122.5, 133.5, 144.5, 155.5, 166.5, 177.5, 188.5, 199.5, 210.5, 221.5, 232.5, 243.5, 254.5, 265.5, 276.5, 287.5, 298.5, 309.5, 320.5, 331.5, 342.5, 353.5],
    [961.5, 972.5, 983.5, 994.5, 5.5, 16.5, 27.5, 38.5, 49.5, 60.5, 71.5, 82.5, 93.5, 104.5, 115.5, 126.5, 137.5, 148.5, 159.5, 170.5, 181.5, 192.5, 203.5, 214.5, 225.5, 236.5, 247.5, 258.5, 269.5, 280.5, 291.5, 302.5, 313.5, 324.5, 335.5, 346.5, 357.5, 368.5, 379.5, 390.5],
    [998.5, 9.5, 20.5, 31.5, 42.5, 53.5, 64.5, 75.5, 86.5, 97.5, 108.5, 119.5, 130.5, 141.5, 152.5, 163.5, 174.5, 185.5, 196.5, 207.5, 218.5, 229.5, 240.5, 251.5, 262.5, 273.5, 284.5, 295.5, 306.5, 317.5, 328.5, 339.5, 350.5, 361.5, 372.5, 383.5, 394.5, 405.5, 416.5, 427.5],
    [35.5, 46.5, 57.5, 68.5, 79.5, 90.5, 101.5, 112.5, 123.5, 134.5, 145.5, 156.5, 167.5, 178.5, 189.5, 200.5, 211.5, 222.5, 233.5, 244.5, 255.5, 266.5, 277.5, 288.5, 299.5, 310.5, 321.5, 332.5, 343.5, 354.5, 365.5, 376.5, 387.5, 398.5, 409.5, 420.5, 431.5, 442.5, 453.5, 464.5],
    [72.5, 83.5, 94.5, 105.5, 116.5, 127.5, 138.5, 149.5, 160.5, 171.5, 182.5, 193.5, 204.5, 215.5, 226.5, 237.5, 248.5, 259.5, 270.5, 281.5, 292.5, 303.5, 314.5, 325.5, 336.5, 347.5, 358.5, 369.5, 380.5, 391.5, 402.5, 413.5, 424.5, 435.5, 446.5, 457.5, 468.5, 479.5, 490.5, 501.5],
    [109.5, 120.5, 131.5, 142.5, 153.5, 164.5, 175.5, 186.5, 197.5, 208.5, 219.5, 230.5, 241.5, 252.5, 263.5, 274.5, 285.5, 296.5, 307.5, 318.5, 329.5, 340.5, 351.5, 362.5, 373.5, 384.5, 395.5, 406.5, 417.5, 428.5, 439.5, 450.5, 461.5, 472.5, 483.5, 494.5, 505.5, 516.5, 527.5, 538.5],
    [146.5, 157.5, 168.5, 179.5, 190.5, 201.5, 212.5, 223.5, 234.5, 245.5, 256.5, 267.5, 278.5, 289.5, 300.5, 311.5, 322.5, 333.5, 344.5, 355.5, 366.5, 377.5, 388.5, 399.5, 410.5, 421.5, 432.5, 443.5, 454.5, 465.5, 476.5, 487.5, 498.5, 509.5, 520.5, 531.5, 542.5, 553.5, 564.5, 575.5],
    [183.5, 194.5, 205.5, 216.5, 227.5, 238.5, 249.5, 260.5, 271.5, 282.5, 293.5, 304.5, 315.5, 326.5, 337.5, 348.5, 359.5, 370.5, 381.5, 392.5, 403.5, 414.5, 425.5, 436.5, 447.5, 458.5, 469.5, 480.5, 491.5, 502.5, 513.5, 524.5, 535.5, 546.5, 557.5, 568.5, 579.5, 590.5, 601.5, 612.5],
    [220.5, 231.5, 242.5, 253.5, 264.5, 275.5, 286.5, 297.5, 308.5, 319.5, 330.5, 341.5, 352.5, 363.5, 374.5, 385.5, 396.5, 407.5, 418.5, 429.5, 440.5, 451.5, 462.5, 473.5, 484.5, 495.5, 506.5, 517.5, 528.5, 539.5, 550.5, 561.5, 572.5, 583.5, 594.5, 605.5, 616.5, 627.5, 638.5, 649.5],
    [257.5, 268.5, 279.5, 290.5, 301.5, 312.5, 323.5, 334.5, 345.5, 356.5, 367.5, 378.5, 389.5, 400.5, 411.5, 422.5, 433.5, 444.5, 455.5, 466.5, 477.5, 488.5, 499.5, 510.5, 521.5, 532.5, 543.5, 554.5, 565.5, 576.5, 587.5, 598.5, 609.5, 620.5, 631.5, 642.5, 653.5, 664.5, 675.5, 686.5],
    [294.5, 305.5, 316.5, 327.5, 338.5, 349.5, 360.5, 371.5, 382.5, 393.5, 404.5, 415.5, 426.5, 437.5, 448.5, 459.5, 470.5, 481.5, 492.5, 503.5, 514.5, 525.5, 536.5, 547.5, 558.5, 569.5, 580.5, 591.5, 602.5, 613.5, 624.5, 635.5, 646.5, 657.5, 668.5, 679.5, 690.5, 701.5, 712.5, 723.5],
    [331.5, 342.5, 353.5, 364.5, 375.5, 386.5, 397.5, 408.5, 419.5, 430.5, 441.5, 452.5, 463.5, 474.5, 485.5, 496.5, 507.5, 518.5, 529.5, 540.5, 551.5, 562.5, 573.5, 584.5, 595.5, 606.5, 617.5, 628.5, 639.5, 650.5, 661.5, 672.5, 683.5, 694.5, 705.5, 716.5, 727.5, 738.5, 749.5, 760.5],
    [368.5, 379.5, 390.5, 401.5, 412.5, 423.5, 434.5, 445.5, 456.5, 467.5, 478.5, 489.5, 500.5, 511.5, 522.5, 533.5, 544.5, 555.5, 566.5, 577.5, 588.5, 599.5, 610.5, 621.5, 632.5, 643.5, 654.5, 665.5, 676.5, 687.5, 698.5, 709.5, 720.5, 731.5, 742.5, 753.5, 764.5, 775.5, 786.5, 797.5],
    [405.5, 416.5, 427.5, 438.5, 449.5, 460.5, 471.5, 482.5, 493.5, 504.5, 515.5, 526.5, 537.5, 548.5, 559.5, 570.5, 581.5, 592.5, 603.5, 614.5, 625.5, 636.5, 647.5, 658.5, 669.5, 680.5, 691.5, 702.5, 713.5, 724.5, 735.5, 746.5, 757.5, 768.5, 779.5, 790.5, 801.5, 812.5, 823.5, 834.5],
    [442.5, 453.5, 464.5, 475.5, 486.5, 497.5, 508.5, 519.5, 530.5, 541.5, 552.5, 563.5, 574.5, 585.5, 596.5, 607.5, 618.5, 629.5, 640.5, 651.5, 662.5, 673.5, 684.5, 695.5, 706.5, 717.5, 728.5, 739.5, 750.5, 761.5, 772.5, 783.5, 794.5, 805.5, 816.5, 827.5, 838.5, 849.5, 860.5, 871.5],
    [479.5, 490.5, 501.5, 512.5, 523.5, 534.5, 545.5, 556.5, 567.5, 578.5, 589.5, 600.5, 611.5, 622.5, 633.5, 644.5, 655.5, 666.5, 677.5, 688.5, 699.5, 710.5, 721.5, 732.5, 743.5, 754.5, 765.5, 776.5, 787.5, 798.5, 809.5, 820.5, 831.5, 842.5, 853.5, 864.5, 875.5, 886.5, 897.5, 908.5],
    [516.5, 527.5, 538.5, 549.5, 560.5, 571.5, 582.5, 593.5, 604.5, 615.5, 626.5, 637.5, 648.5, 659.5, 670.5, 681.5, 692.5, 703.5, 714.5, 725.5, 736.5, 747.5, 758.5, 769.5, 780.5, 791.5, 802.5, 813.5, 824.5, 835.5, 846.5, 857.5, 868.5, 879.5, 890.5, 901.5, 912.5, 923.5, 934.5, 945.5],
    [553.5, 564.5, 575.5, 586.5, 597.5, 608.5, 619.5, 630.5, 641.5, 652.5, 663.5, 674.5, 685.5, 696.5, 707.5, 718.5, 729.5, 740.5, 751.5, 762.5, 773.5, 784.5, 795.5, 806.5, 817.5, 828.5, 839.5, 850.5, 861.5, 872.5, 883.5, 894.5, 905.5, 916.5, 927.5, 938.5, 949.5, 960.5, 971.5, 982.5],
    [590.5, 601.5, 612.5, 623.5, 634.5, 645.5, 656.5, 667.5, 678.5, 689.5, 700.5, 711.5, 722.5, 733.5, 744.5, 755.5, 766.5, 777.5, 788.5, 799.5, 810.5, 821.5, 832.5, 843.5, 854.5, 865.5, 876.5, 887.5, 898.5, 909.5, 920.5, 931.5, 942.5, 953.5, 964.5, 975.5, 986.5, 997.5, 8.5, 19.5],
    [627.5, 638.5, 649.5, 660.5, 671.5, 682.5, 693.5, 704.5, 715.5, 726.5, 737.5, 748.5, 759.5, 770.5, 781.5, 792.5, 803.5, 814.5, 825.5, 836.5, 847.5, 858.5, 869.5, 880.5, 891.5, 902.5, 913.5, 924.5, 935.5, 946.5, 957.5, 968.5, 979.5, 990.5, 1.5, 12.5, 23.5, 34.5, 45.5, 56.5],
    [664.5, 675.5, 686.5, 697.5, 708.5, 719.5, 730.5, 741.5, 752.5, 763.5, 774.5, 785.5, 796.5, 807.5, 818.5, 829.5, 840.5, 851.5, 862.5, 873.5, 884.5, 895.5, 906.5, 917.5, 928.5, 939.5, 950.5, 961.5, 972.5, 983.5, 994.5, 5.5, 16.5, 27.5, 38.5, 49.5, 60.5, 71.5, 82.5, 93.5],
    [701.5, 712.5, 723.5, 734.5, 745.5, 756.5, 767.5, 778.5, 789.5, 800.5, 811.5, 822.5, 833.5, 844.5, 855.5, 866.5, 877.5, 888.5, 899.5, 910.5, 921.5, 932.5, 943.5, 954.5, 965.5, 976.5, 987.5, 998.5, 9.5, 20.5, 31.5, 42.5, 53.5, 64.5, 75.5, 86.5, 97.5, 108.5, 119.5, 130.5],
    [738.5, 749.5, 760.5, 771.5, 782.5, 793.5, 804.5, 815.5, 826.5, 837.5, 848.5, 859.5, 870.5, 881.5, 892.5, 903.5, 914.5, 925.5, 936.5, 947.5, 958.5, 969.5, 980.5, 991.5, 2.5, 13.5, 24.5, 35.5, 46.5, 57.5, 68.5, 79.5, 90.5, 101.5, 112.5, 123.5, 134.5, 145.5, 156.5, 167.5],
    [775.5, 786.5, 797.5, 808.5, 819.5, 830.5, 841.5, 852.5, 863.5, 874.5, 885.5, 896.5, 907.5, 918.5, 929.5, 940.5, 951.5, 962.5, 973.5, 984.5, 995.5, 6.5, 17.5, 28.5, 39.5, 50.5, 61.5, 72.5, 83.5, 94.5, 105.5, 116.5, 127.5, 138.5, 149.5, 160.5, 171.5, 182.5, 193.5, 204.5],
    [812.5, 823.5, 834.5, 845.5, 856.5, 867.5, 878.5, 889.5, 900.5, 911.5, 922.5, 933.5, 944.5, 955.5, 966.5, 977.5, 988.5, 999.5, 10.5, 21.5, 32.5, 43.5, 54.5, 65.5, 76.5, 87.5, 98.5, 109.5, 120.5, 131.5, 142.5, 153.5, 164.5, 175.5, 186.5, 197.5, 208.5, 219.5, 230.5, 241.5],
    [849.5, 860.5, 871.5, 882.5, 893.5, 904.5, 915.5, 926.5, 937.5, 948.5, 959.5, 970.5, 981.5, 992.5, 3.5, 14.5, 25.5, 36.5, 47.5, 58.5, 69.5, 80.5, 91.5, 102.5, 113.5, 124.5, 135.5, 146.5, 157.5, 168.5, 179.5, 190.5, 201.5, 212.5, 223.5, 234.5, 245.5, 256.5, 267.5, 278.5],
    [886.5, 897.5, 908.5, 919.5, 930.5, 941.5, 952.5, 963.5, 974.5, 985.5, 996.5, 7.5, 18.5, 29.5, 40.5, 51.5, 62.5, 73.5, 84.5, 95.5, 106.5, 117.5, 128.5, 139.5, 150.5, 161.5, 172.5, 183.5, 194.5, 205.5, 216.5, 227.5, 238.5, 249.5, 260.5, 271.5, 282.5, 293.5, 304.5, 315.5],
    [923.5, 934.5, 945.5, 956.5, 967.5, 978.5, 989.5, 0.5, 11.5, 22.5, 33.5, 44.5, 55.5, 66.5, 77.5, 88.5, 99.5, 110.5, 121.5, 132.5, 143.5, 154.5, 165.5, 176.5, 187.5, 198.5, 209.5, 220.5, 231.5, 242.5, 253.5, 264.5, 275.5, 286.5, 297.5, 308.5, 319.5, 330.5, 341.5, 352.5],
    [960.5, 971.5, 982.5, 993.5, 4.5, 15.5, 26.5, 37.5, 48.5, 59.5, 70.5, 81.5, 92.5, 103.5, 114.5, 125.5, 136.5, 147.5, 158.5, 169.5, 180.5, 191.5, 202.5, 213.5, 224.5, 235.5, 246.5, 257.5, 268.5, 279.5, 290.5, 301.5, 312.5, 323.5, 334.5, 345.5, 356.5, 367.5, 378.5, 389.5],
    [997.5, 8.5, 19.5, 30.5, 41.5, 52.5, 63.5, 74.5, 85.5, 96.5, 107.5, 118.5, 129.5, 140.5, 151.5, 162.5, 173.5, 184.5, 195.5, 206.5, 217.5, 228.5, 239.5, 250.5, 261.5, 272.5, 283.5, 294.5, 305.5, 316.5, 327.5, 338.5, 349.5, 360.5, 371.5, 382.5, 393.5, 404.5, 415.5, 426.5],
    [34.5, 45.5, 56.5, 67.5, 78.5, 89.5, 100.5, 111.5, 122.5, 133.5, 144.5, 155.5, 166.5, 177.5, 188.5, 199.5, 210.5, 221.5, 232.5, 243.5, 254.5, 265.5, 276.5, 287.5, 298.5, 309.5, 320.5, 331.5, 342.5, 353.5, 364.5, 375.5, 386.5, 397.5, 408.5, 419.5, 430.5, 441.5, 452.5, 463.5],
    [71.5, 82.5, 93.5, 104.5, 115.5, 126.5, 137.5, 148.5, 159.5, 170.5, 181.5, 192.5, 203.5, 214.5, 225.5, 236.5, 247.5, 258.5, 269.5, 280.5, 291.5, 302.5, 313.5, 324.5, 335.5, 346.5, 357.5, 368.5, 379.5, 390.5, 401.5, 412.5, 423.5, 434.5, 445.5, 456.5, 467.5, 478.5, 489.5, 500.5],
    [108.5, 119.5, 130.5, 141.5, 152.5, 163.5, 174.5, 185.5, 196.5, 207.5, 218.5, 229.5, 240.5, 251.5, 262.5, 273.5, 284.5, 295.5, 306.5, 317.5, 328.5, 339.5, 350.5, 361.5, 372.5, 383.5, 394.5, 405.5, 416.5, 427.5, 438.5, 449.5, 460.5, 471.5, 482.5, 493.5, 504.5, 515.5, 526.5, 537.5],
    [145.5, 156.5, 167.5, 178.5, 189.5, 200.5, 211.5, 222.5, 233.5, 244.5, 255.5, 266.5, 277.5, 288.5, 299.5, 310.5, 321.5, 332.5, 343.5, 354.5, 365.5, 376.5, 387.5, 398.5, 409.5, 420.5, 431.5, 442.5, 453.5, 464.5, 475.5, 486.5, 497.5, 508.5, 519.5, 530.5, 541.5, 552.5, 563.5, 574.5],
    [182.5, 193.5, 204.5, 215.5, 226.5, 237.5, 248.5, 259.5, 270.5, 281.5, 292.5, 303.5, 314.5, 325.5, 336.5, 347.5, 358.5, 369.5, 380.5, 391.5, 402.5, 413.5, 424.5, 435.5, 446.5, 457.5, 468.5, 479.5, 490.5, 501.5, 512.5, 523.5, 534.5, 545.5, 556.5, 567.5, 578.5, 589.5, 600.5, 611.5],
    [219.5, 230.5, 241.5, 252.5, 263.5, 274.5, 285.5, 296.5, 307.5, 318.5, 329.5, 340.5, 351.5, 362.5, 373.5, 384.5, 395.5, 406.5, 417.5, 428.5, 439.5, 450.5, 461.5, 472.5, 483.5, 494.5, 505.5, 516.5, 527.5, 538.5, 549.5, 560.5, 571.5, 582.5, 593.5, 604.5, 615.5, 626.5, 637.5, 648.5],
    [256.5, 267.5, 278.5, 289.5, 300.5, 311.5, 322.5, 333.5, 344.5, 355.5, 366.5, 377.5, 388.5, 399.5, 410.5, 421.5, 432.5, 443.5, 454.5, 465.5, 476.5, 487.5, 498.5, 509.5, 520.5, 531.5, 542.5, 553.5, 564.5, 575.5, 586.5, 597.5, 608.5, 619.5, 630.5, 641.5, 652.5, 663.5, 674.5, 685.5],
    [293.5, 304.5, 315.5, 326.5, 337.5, 348.5, 359.5, 370.5, 381.5, 392.5, 403.5, 414.5, 425.5, 436.5, 447.5, 458.5, 469.5, 480.5, 491.5, 502.5, 513.5, 524.5, 535.5, 546.5, 557.5, 568.5, 579.5, 590.5, 601.5, 612.5, 623.5, 634.5, 645.5, 656.5, 667.5, 678.5, 689.5, 700.5, 711.5, 722.5],
    [330.5, 341.5, 352.5, 363.5, 374.5, 385.5, 396.5, 407.5, 418.5, 429.5, 440.5, 451.5, 462.5, 473.5, 484.5, 495.5, 506.5, 517.5, 528.5, 539.5, 550.5, 561.5, 572.5, 583.5, 594.5, 605.5, 616.5, 627.5, 638.5, 649.5, 660.5, 671.5, 682.5, 693.5, 704.5, 715.5, 726.5, 737.5, 748.5, 759.5],
    [367.5, 378.5, 389.5, 400.5, 411.5, 422.5, 433.5, 444.5, 455.5, 466.5, 477.5, 488.5, 499.5, 510.5, 521.5, 532.5, 543.5, 554.5, 565.5, 576.5, 587.5, 598.5, 609.5, 620.5, 631.5, 642.5, 653.5, 664.5, 675.5, 686.5, 697.5, 708.5, 719.5, 730.5, 741.5, 752.5, 763.5, 774.5, 785.5, 796.5],
    [404.5, 415.5, 426.5, 437.5, 448.5, 459.5, 470.5, 481.5, 492.5, 503.5, 514.5, 525.5, 536.5, 547.5, 558.5, 569.5, 580.5, 591.5, 602.5, 613.5, 624.5, 635.5, 646.5, 657.5, 668.5, 679.5, 690.5, 701.5, 712.5, 723.5, 734.5, 745.5, 756.5, 767.5, 778.5, 789.5, 800.5, 811.5, 822.5, 833.5],
    [441.5, 452.5, 463.5, 474.5, 485.5, 496.5, 507.5, 518.5, 529.5, 540.5, 551.5, 562.5, 573.5, 584.5, 595.5, 606.5, 617.5, 628.5, 639.5, 650.5, 661.5, 672.5, 683.5, 694.5, 705.5, 716.5, 727.5, 738.5, 749.5, 760.5, 771.5, 782.5, 793.5, 804.5, 815.5, 826.5, 837.5, 848.5, 859.5, 870.5],
    [478.5, 489.5, 500.5, 511.5, 522.5, 533.5, 544.5, 555.5, 566.5, 577.5, 588.5, 599.5, 610.5, 621.5, 632.5, 643.5, 654.5, 665.5, 676.5, 687.5, 698.5, 709.5, 720.5, 731.5, 742.5, 753.5, 764.5, 775.5, 786.5, 797.5, 808.5, 819.5, 830.5, 841.5, 852.5, 863.5, 874.5, 885.5, 896.5, 907.5],
    [515.5, 526.5, 537.5, 548.5, 559.5, 570.5, 581.5, 592.5, 603.5, 614.5, 625.5, 636.5, 647.5, 658.5, 669.5, 680.5, 691.5, 702.5, 713.5, 724.5, 735.5, 746.5, 757.5, 768.5, 779.5, 790.5, 801.5, 812.5, 823.5, 834.5, 845.5, 856.5, 867.5, 878.5, 889.5, 900.5, 911.5, 922.5, 933.5, 944.5],
    [552.5, 563.5, 574.5, 585.5, 596.5, 607.5, 618.5, 629.5, 640.5, 651.5, 662.5, 673.5, 684.5, 695.5, 706.5, 717.5, 728.5, 739.5, 750.5, 761.5, 772.5, 783.5, 794.5, 805.5, 816.5, 827.5, 838.5, 849.5, 860.5, 871.5, 882.5, 893.5, 904.5, 915.5, 926.5, 937.5, 948.5, 959.5, 970.5, 981.5],
    [589.5, 600.5, 611.5, 622.5, 633.5, 644.5, 655.5, 666.5, 677.5, 688.5, 699.5, 710.5, 721.5, 732.5, 743.5, 754.5, 765.5, 776.5, 787.5, 798.5, 809.5, 820.5, 831.5, 842.5, 853.5, 864.5, 875.5, 886.5, 897.5, 908.5, 919.5, 930.5, 941.5, 952.5, 963.5, 974.5, 985.5, 996.5, 7.5, 18.5],
    [626.5, 637.5, 648.5, 659.5, 670.5, 681.5, 692.5, 703.5, 714.5, 725.5, 736.5, 747.5, 758.5, 769.5, 780.5, 791.5, 802.5, 813.5, 824.5, 835.5, 846.5, 857.5, 868.5, 879.5, 890.5, 901.5, 912.5, 923.5, 934.5, 945.5, 956.5, 967.5, 978.5, 989.5, 0.5, 11.5, 22.5, 33.5, 44.5, 55.5],
    [663.5, 674.5, 685.5, 696.5, 707.5, 718.5, 729.5, 740.5, 751.5, 762.5, 773.5, 784.5, 795.5, 806.5, 817.5, 828.5, 839.5, 850.5, 861.5, 872.5, 883.5, 894.5, 905.5, 916.5, 927.5, 938.5, 949.5, 960.5, 971.5, 982.5, 993.5, 4.5, 15.5, 26.5, 37.5, 48.5, 59.5, 70.5, 81.5, 92.5],
    [700.5, 711.5, 722.5, 733.5, 744.5, 755.5, 766.5, 777.5, 788.5, 799.5, 810.5, 821.5, 832.5, 843.5, 854.5, 865.5, 876.5, 887.5, 898.5, 909.5, 920.5, 931.5, 942.5, 953.5, 964.5, 975.5, 986.5, 997.5, 8.5, 19.5, 30.5, 41.5, 52.5, 63.5, 74.5, 85.5, 96.5, 107.5, 118.5, 129.5],
    [737.5, 748.5, 759.5, 770.5, 781.5, 792.5, 803.5, 814.5, 825.5, 836.5, 847.5, 858.5, 869.5, 880.5, 891.5, 902.5, 913.5, 924.5, 935.5, 946.5, 957.5, 968.5, 979.5, 990.5, 1.5, 12.5, 23.5, 34.5, 45.5, 56.5, 67.5, 78.5, 89.5, 100.5, 111.5, 122.5, 133.5, 144.5, 155.5, 166.5],
    [774.5, 785.5, 796.5, 807.5, 818.5, 829.5, 840.5, 851.5, 862.5, 873.5, 884.5, 895.5, 906.5, 917.5, 928.5, 939.5, 950.5, 961.5, 972.5, 983.5, 994.5, 5.5, 16.5, 27.5, 38.5, 49.5, 60.5, 71.5, 82.5, 93.5, 104.5, 115.5, 126.5, 137.5, 148.5, 159.5, 170.5, 181.5, 192.5, 203.5],
    [811.5, 822.5, 833.5, 844.5, 855.5, 866.5, 877.5, 888.5, 899.5, 910.5, 921.5, 932.5, 943.5, 954.5, 965.5, 976.5, 987.5, 998.5, 9.5, 20.5, 31.5, 42.5, 53.5, 64.5, 75.5, 86.5, 97.5, 108.5, 119.5, 130.5, 141.5, 152.5, 163.5, 174.5, 185.5, 196.5, 207.5, 218.5, 229.5, 240.5],
    [848.5, 859.5, 870.5, 881.5, 892.5, 903.5, 914.5, 925.5, 936.5, 947.5, 958.5, 969.5, 980.5, 991.5, 2.5, 13.5, 24.5, 35.5, 46.5, 57.5, 68.5, 79.5, 90.5, 101.5, 112.5, 123.5, 134.5, 145.5, 156.5, 167.5, 178.5, 189.5, 200.5, 211.5, 222.5, 233.5, 244.5, 255.5, 266.5, 277.5],
    [885.5, 896.5, 907.5, 918.5, 929.5, 940.5, 951.5, 962.5, 973.5, 984.5, 995.5, 6.5, 17.5, 28.5, 39.5, 50.5, 61.5, 72.5, 83.5, 94.5, 105.5, 116.5, 127.5, 138.5, 149.5, 160.5, 171.5, 182.5, 193.5, 204.5, 215.5, 226.5, 237.5, 248.5, 259.5, 270.5, 281.5, 292.5, 303.5, 314.5],
    [922.5, 933.5, 944.5, 955.5, 966.5, 977.5, 988.5, 999.5, 10.5, 21.5, 32.5, 43.5, 54.5, 65.5, 76.5, 87.5, 98.5, 109.5, 120.5, 131.5, 142.5, 153.5, 164.5, 175.5, 186.5, 197.5, 208.5, 219.5, 230.5, 241.5, 252.5, 263.5, 274.5, 285.5, 296.5, 307.5, 318.5, 329.5, 340.5, 351.5],
    [959.5, 970.5, 981.5, 992.5, 3.5, 14.5, 25.5, 36.5, 47.5, 58.5, 69.5, 80.5, 91.5, 102.5, 113.5, 124.5, 135.5, 146.5, 157.5, 168.5, 179.5, 190.5, 201.5, 212.5, 223.5, 234.5, 245.5, 256.5, 267.5, 278.5, 289.5, 300.5, 311.5, 322.5, 333.5, 344.5, 355.5, 366.5, 377.5, 388.5],
    [996.5, 7.5, 18.5, 29.5, 40.5, 51.5, 62.5, 73.5, 84.5, 95.5, 106.5, 117.5, 128.5, 139.5, 150.5, 161.5, 172.5, 183.5, 194.5, 205.5, 216.5, 227.5, 238.5, 249.5, 260.5, 271.5, 282.5, 293.5, 304.5, 315.5, 326.5, 337.5, 348.5, 359.5, 370.5, 381.5, 392.5, 403.5, 414.5, 425.5],
    [33.5, 44.5, 55.5, 66.5, 77.5, 88.5, 99.5, 110.5, 121.5, 132.5, 143.5, 154.5, 165.5, 176.5, 187.5, 198.5, 209.5, 220.5, 231.5, 242.5, 253.5, 264.5, 275.5, 286.5, 297.5, 308.5, 319.5, 330.5, 341.5, 352.5, 363.5, 374.5, 385.5, 396.5, 407.5, 418.5, 429.5, 440.5, 451.5, 462.5],
    [70.5, 81.5, 92.5, 103.5, 114.5, 125.5, 136.5, 147.5, 158.5, 169.5, 180.5, 191.5, 202.5, 213.5, 224.5, 235.5, 246.5, 257.5, 268.5, 279.5, 290.5, 301.5, 312.5, 323.5, 334.5, 345.5, 356.5, 367.5, 378.5, 389.5, 400.5, 411.5, 422.5, 433.5, 444.5, 455.5, 466.5, 477.5, 488.5, 499.5],
    [107.5, 118.5, 129.5, 140.5, 151.5, 162.5, 173.5, 184.5, 195.5, 206.5, 217.5, 228.5, 239.5, 250.5, 261.5, 272.5, 283.5, 294.5, 305.5, 316.5, 327.5, 338.5, 349.5, 360.5, 371.5, 382.5, 393.5, 404.5, 415.5, 426.5, 437.5, 448.5, 459.5, 470.5, 481.5, 492.5, 503.5, 514.5, 525.5, 536.5],
    [144.5, 155.5, 166.5, 177.5, 188.5, 199.5, 210.5, 221.5, 232.5, 243.5, 254.5, 265.5, 276.5, 287.5, 298.5, 309.5, 320.5, 331.5, 342.5, 353.5, 364.5, 375.5, 386.5, 397.5, 408.5, 419.5, 430.5, 441.5, 452.5, 463.5, 474.5, 485.5, 496.5, 507.5, 518.5, 529.5, 540.5, 551.5, 562.5, 573.5],
    [181.5, 192.5, 203.5, 214.5, 225.5, 236.5, 247.5, 258.5, 269.5, 280.5, 291.5, 302.5, 313.5, 324.5, 335.5, 346.5, 357.5, 368.5, 379.5, 390.5, 401.5, 412.5, 423.5, 434.5, 445.5, 456.5, 467.5, 478.5, 489.5, 500.5, 511.5, 522.5, 533.5, 544.5, 555.5, 566.5, 577.5, 588.5, 599.5, 610.5],
    [218.5, 229.5, 240.5, 251.5, 262.5, 273.5, 284.5, 295.5, 306.5, 317.5, 328.5, 339.5, 350.5, 361.5, 372.5, 383.5, 394.5, 405.5, 416.5, 427.5, 438.5, 449.5, 460.5, 471.5, 482.5, 493.5, 504.5, 515.5, 526.5, 537.5, 548.5, 559.5, 570.5, 581.5, 592.5, 603.5, 614.5, 625.5, 636.5, 647.5],
    [255.5, 266.5, 277.5, 288.5, 299.5, 310.5, 321.5, 332.5, 343.5, 354.5, 365.5, 376.5, 387.5, 398.5, 409.5, 420.5, 431.5, 442.5, 453.5, 464.5, 475.5, 486.5, 497.5, 508.5, 519.5, 530.5, 541.5, 552.5, 563.5, 574.5, 585.5, 596.5, 607.5, 618.5, 629.5, 640.5, 651.5, 662.5, 673.5, 684.5],
    [292.5, 303.5, 314.5, 325.5, 336.5, 347.5, 358.5, 369.5, 380.5, 391.5, 402.5, 413.5, 424.5, 435.5, 446.5, 457.5, 468.5, 479.5, 490.5, 501.5, 512.5, 523.5, 534.5, 545.5, 556.5, 567.5, 578.5, 589.5, 600.5, 611.5, 622.5, 633.5, 644.5, 655.5, 666.5, 677.5, 688.5, 699.5, 710.5, 721.5],
    [329.5, 340.5, 351.5, 362.5, 373.5, 384.5, 395.5, 406.5, 417.5, 428.5, 439.5, 450.5, 461.5, 472.5, 483.5, 494.5, 505.5, 516.5, 527.5, 538.5, 549.5, 560.5, 571.5, 582.5, 593.5, 604.5, 615.5, 626.5, 637.5, 648.5, 659.5, 670.5, 681.5, 692.5, 703.5, 714.5, 725.5, 736.5, 747.5, 758.5],
    [366.5, 377.5, 388.5, 399.5, 410.5, 421.5, 432.5, 443.5, 454.5, 465.5, 476.5, 487.5, 498.5, 509.5, 520.5, 531.5, 542.5, 553.5, 564.5, 575.5, 586.5, 597.5, 608.5, 619.5, 630.5, 641.5, 652.5, 663.5, 674.5, 685.5, 696.5, 707.5, 718.5, 729.5, 740.5, 751.5, 762.5, 773.5, 784.5, 795.5],
    [403.5, 414.5, 425.5, 436.5, 447.5, 458.5, 469.5, 480.5, 491.5, 502.5, 513.5, 524.5, 535.5, 546.5, 557.5, 568.5, 579.5, 590.5, 601.5, 612.5, 623.5, 634.5, 645.5, 656.5, 667.5, 678.5, 689.5, 700.5, 711.5, 722.5, 733.5, 744.5, 755.5, 766.5, 777.5, 788.5, 799.5, 810.5, 821.5, 832.5],
    [440.5, 451.5, 462.5, 473.5, 484.5, 495.5, 506.5, 517.5, 528.5, 539.5, 550.5, 561.5, 572.5, 583.5, 594.5, 605.5, 616.5, 627.5, 638.5, 649.5, 660.5, 671.5, 682.5, 693.5, 704.5, 715.5, 726.5, 737.5, 748.5, 759.5, 770.5, 781.5, 792.5, 803.5, 814.5, 825.5, 836.5, 847.5, 858.5, 869.5],
    [477.5, 488.5, 499.5, 510.5, 521.5, 532.5, 543.5, 554.5, 565.5, 576.5, 587.5, 598.5, 609.5, 620.5, 631.5, 642.5, 653.5, 664.5, 675.5, 686.5, 697.5, 708.5, 719.5, 730.5, 741.5, 752.5, 763.5, 774.5, 785.5, 796.5, 807.5, 818.5, 829.5, 840.5, 851.5, 862.5, 873.5, 884.5, 895.5, 906.5],
    [514.5, 525.5, 536.5, 547.5, 558.5, 569.5, 580.5, 591.5, 602.5, 613.5, 624.5, 635.5, 646.5, 657.5, 668.5, 679.5, 690.5, 701.5, 712.5, 723.5, 734.5, 745.5, 756.5, 767.5, 778.5, 789.5, 800.5, 811.5, 822.5, 833.5, 844.5, 855.5, 866.5, 877.5, 888.5, 899.5, 910.5, 921.5, 932.5, 943.5],
    [551.5, 562.5, 573.5, 584.5, 595.5, 606.5, 617.5, 628.5, 639.5, 650.5, 661.5, 672.5, 683.5, 694.5, 705.5, 716.5, 727.5, 738.5, 749.5, 760.5, 771.5, 782.5, 793.5, 804.5, 815.5, 826.5, 837.5, 848.5, 859.5, 870.5, 881.5, 892.5, 903.5, 914.5, 925.5, 936.5, 947.5, 958.5, 969.5, 980.5],
    [588.5, 599.5, 610.5, 621.5, 632.5, 643.5, 654.5, 665.5, 676.5, 687.5, 698.5, 709.5, 720.5, 731.5, 742.5, 753.5, 764.5, 775.5, 786.5, 797.5, 808.5, 819.5, 830.5, 841.5, 852.5, 863.5, 874.5, 885.5, 896.5, 907.5, 918.5, 929.5, 940.5, 951.5, 962.5, 973.5, 984.5, 995.5, 6.5, 17.5],
    [625.5, 636.5, 647.5, 658.5, 669.5, 680.5, 691.5, 702.5, 713.5, 724.5, 735.5, 746.5, 757.5, 768.5, 779.5, 790.5, 801.5, 812.5, 823.5, 834.5, 845.5, 856.5, 867.5, 878.5, 889.5, 900.5, 911.5, 922.5, 933.5, 944.5, 955.5, 966.5, 977.5, 988.5, 999.5, 10.5, 21.5, 32.5, 43.5, 54.5],
    [662.5, 673.5, 684.5, 695.5, 706.5, 717.5, 728.5, 739.5, 750.5, 761.5, 772.5, 783.5, 794.5, 805.5, 816.5, 827.5, 838.5, 849.5, 860.5, 871.5, 882.5, 893.5, 904.5, 915.5, 926.5, 937.5, 948.5, 959.5, 970.5, 981.5, 992.5, 3.5, 14.5, 25.5, 36.5, 47.5, 58.5, 69.5, 80.5, 91.5],
    [699.5, 710.5, 721.5, 732.5, 743.5, 754.5, 765.5, 776.5, 787.5, 798.5, 809.5, 820.5, 831.5, 842.5, 853.5, 864.5, 875.5, 886.5, 897.5, 908.5, 919.5, 930.5, 941.5, 952.5, 963.5, 974.5, 985.5, 996.5, 7.5, 18.5, 29.5, 40.5, 51.5, 62.5, 73.5, 84.5, 95.5, 106.5, 117.5, 128.5],
    [736.5, 747.5, 758.5, 769.5, 780.5, 791.5, 802.5, 813.5, 824.5, 835.5, 846.5, 857.5, 868.5, 879.5, 890.5, 901.5, 912.5, 923.5, 934.5, 945.5, 956.5, 967.5, 978.5, 989.5, 0.5, 11.5, 22.5, 33.5, 44.5, 55.5, 66.5, 77.5, 88.5, 99.5, 110.5, 121.5, 132.5, 143.5, 154.5, 165.5],
    [773.5, 784.5, 795.5, 806.5, 817.5, 828.5, 839.5, 850.5, 861.5, 872.5, 883.5, 894.5, 905.5, 916.5, 927.5, 938.5, 949.5, 960.5, 971.5, 982.5, 993.5, 4.5, 15.5, 26.5, 37.5, 48.5, 59.5, 70.5, 81.5, 92.5, 103.5, 114.5, 125.5, 136.5, 147.5, 158.5, 169.5, 180.5, 191.5, 202.5],
    [810.5, 821.5, 832.5, 843.5, 854.5, 865.5, 876.5, 887.5, 898.5, 909.5, 920.5, 931.5, 942.5, 953.5, 964.5, 975.5, 986.5, 997.5, 8.5, 19.5, 30.5, 41.5, 52.5, 63.5, 74.5, 85.5, 96.5, 107.5, 118.5, 129.5, 140.5, 151.5, 162.5, 173.5, 184.5, 195.5, 206.5, 217.5, 228.5, 239.5],
    [847.5, 858.5, 869.5, 880.5, 891.5, 902.5, 913.5, 924.5, 935.5, 946.5, 957.5, 968.5, 979.5, 990.5, 1.5, 12.5, 23.5, 34.5, 45.5, 56.5, 67.5, 78.5, 89.5, 100.5, 111.5, 122.5, 133.5, 144.5, 155.5, 166.5, 177.5, 188.5, 199.5, 210.5, 221.5, 232.5, 243.5, 254.5, 265.5, 276.5],
    [884.5, 895.5, 906.5, 917.5, 928.5, 939.5, 950.5, 961.5, 972.5, 983.5, 994.5, 5.5, 16.5, 27.5, 38.5, 49.5, 60.5, 71.5, 82.5, 93.5, 104.5, 115.5, 126.5, 137.5, 148.5, 159.5, 170.5, 181.5, 192.5, 203.5, 214.5, 225.5, 236.5, 247.5, 258.5, 269.5, 280.5, 291.5, 302.5, 313.5],
    [921.5, 932.5, 943.5, 954.5, 965.5, 976.5, 987.5, 998.5, 9.5, 20.5, 31.5, 42.5, 53.5, 64.5, 75.5, 86.5, 97.5, 108.5, 119.5, 130.5, 141.5, 152.5, 163.5, 174.5, 185.5, 196.5, 207.5, 218.5, 229.5, 240.5, 251.5, 262.5, 273.5, 284.5, 295.5, 306.5, 317.5, 328.5, 339.5, 350.5],
    [958.5, 969.5, 980.5, 991.5, 2.5, 13.5, 24.5, 35.5, 46.5, 57.5, 68.5, 79.5, 90.5, 101.5, 112.5, 123.5, 134.5, 145.5, 156.5, 167.5, 178.5, 189.5, 200.5, 211.5, 222.5, 233.5, 244.5, 255.5, 266.5, 277.5, 288.5, 299.5, 310.5, 321.5, 332.5, 343.5, 354.5, 365.5, 376.5, 387.5],
    [995.5, 6.5, 17.5, 28.5, 39.5, 50.5, 61.5, 72.5, 83.5, 94.5, 105.5, 116.5, 127.5, 138.5, 149.5, 160.5, 171.5, 182.5, 193.5, 204.5, 215.5, 226.5, 237.5, 248.5, 259.5, 270.5, 281.5, 292.5, 303.5, 314.5, 325.5, 336.5, 347.5, 358.5, 369.5, 380.5, 391.5, 402.5, 413.5, 424.5],
    [32.5, 43.5, 54.5, 65.5, 76.5, 87.5, 98.5, 109.5, 120.5, 131.5, 142.5, 153.5, 164.5, 175.5, 186.5, 197.5, 208.5, 219.5, 230.5, 241.5, 252.5, 263.5, 274.5, 285.5, 296.5, 307.5, 318.5, 329.5, 340.5, 351.5, 362.5, 373.5, 384.5, 395.5, 406.5, 417.5, 428.5, 439.5, 450.5, 461.5],
    [69.5, 80.5, 91.5, 102.5, 113.5, 124.5, 135.5, 146.5, 157.5, 168.5, 179.5, 190.5, 201.5, 212.5, 223.5, 234.5, 245.5, 256.5, 267.5, 278.5, 289.5, 300.5, 311.5, 322.5, 333.5, 344.5, 355.5, 366.5, 377.5, 388.5, 399.5, 410.5, 421.5, 432.5, 443.5, 454.5, 465.5, 476.5, 487.5, 498.5],
    [106.5, 117.5, 128.5, 139.5, 150.5, 161.5, 172.5, 183.5, 194.5, 205.5, 216.5, 227.5, 238.5, 249.5, 260.5, 271.5, 282.5, 293.5, 304.5, 315.5, 326.5, 337.5, 348.5, 359.5, 370.5, 381.5, 392.5, 403.5, 414.5, 425.5, 436.5, 447.5, 458.5, 469.5, 480.5, 491.5, 502.5, 513.5, 524.5, 535.5],
    [143.5, 154.5, 165.5, 176.5, 187.5, 198.5, 209.5, 220.5, 231.5, 242.5, 253.5, 264.5, 275.5, 286.5, 297.5, 308.5, 319.5, 330.5, 341.5, 352.5, 363.5, 374.5, 385.5, 396.5, 407.5, 418.5, 429.5, 440.5, 451.5, 462.5, 473.5, 484.5, 495.5, 506.5, 517.5, 528.5, 539.5, 550.5, 561.5, 572.5],
    [180.5, 191.5, 202.5, 213.5, 224.5, 235.5, 246.5, 257.5, 268.5, 279.5, 290.5, 301.5, 312.5, 323.5, 334.5, 345.5, 356.5, 367.5, 378.5, 389.5, 400.5, 411.5, 422.5, 433.5, 444.5, 455.5, 466.5, 477.5, 488.5, 499.5, 510.5, 521.5, 532.5, 543.5, 554.5, 565.5, 576.5, 587.5, 598.5, 609.5],
    [217.5, 228.5, 239.5, 250.5, 261.5, 272.5, 283.5, 294.5, 305.5, 316.5, 327.5, 338.5, 349.5, 360.5, 371.5, 382.5, 393.5, 404.5, 415.5, 426.5, 437.5, 448.5, 459.5, 470.5, 481.5, 492.5, 503.5, 514.5, 525.5, 536.5, 547.5, 558.5, 569.5, 580.5, 591.5, 602.5, 613.5, 624.5, 635.5, 646.5],
    [254.5, 265.5, 276.5, 287.5, 298.5, 309.5, 320.5, 331.5, 342.5, 353.5, 364.5, 375.5, 386.5, 397.5, 408.5, 419.5, 430.5, 441.5, 452.5, 463.5, 474.5, 485.5, 496.5, 507.5, 518.5, 529.5, 540.5, 551.5, 562.5, 573.5, 584.5, 595.5, 606.5, 617.5, 628.5, 639.5, 650.5, 661.5, 672.5, 683.5],
    [291.5, 302.5, 313.5, 324.5, 335.5, 346.5, 357.5, 368.5, 379.5, 390.5, 401.5, 412.5, 423.5, 434.5, 445.5, 456.5, 467.5, 478.5, 489.5, 500.5, 511.5, 522.5, 533.5, 544.5, 555.5, 566.5, 577.5, 588.5, 599.5, 610.5, 621.5, 632.5, 643.5, 654.5, 665.5, 676.5, 687.5, 698.5, 709.5, 720.5],
    [328.5, 339.5, 350.5, 361.5, 372.5, 383.5, 394.5, 405.5, 416.5, 427.5, 438.5, 449.5, 460.5, 471.5, 482.5, 493.5, 504.5, 515.5, 526.5, 537.5, 548.5, 559.5, 570.5, 581.5, 592.5, 603.5, 614.5, 625.5, 636.5, 647.5, 658.5, 669.5, 680.5, 691.5, 702.5, 713.5, 724.5, 735.5, 746.5, 757.5],
    [365.5, 376.5, 387.5, 398.5, 409.5, 420.5, 431.5, 442.5, 453.5, 464.5, 475.5, 486.5, 497.5, 508.5, 519.5, 530.5, 541.5, 552.5, 563.5, 574.5, 585.5, 596.5, 607.5, 618.5, 629.5, 640.5, 651.5, 662.5, 673.5, 684.5, 695.5, 706.5, 717.5, 728.5, 739.5, 750.5, 761.5, 772.5, 783.5, 794.5],
    [402.5, 413.5, 424.5, 435.5, 446.5, 457.5, 468.5, 479.5, 490.5, 501.5, 512.5, 523.5, 534.5, 545.5, 556.5, 567.5, 578.5, 589.5, 600.5, 611.5, 622.5, 633.5, 644.5, 655.5, 666.5, 677.5, 688.5, 699.5, 710.5, 721.5, 732.5, 743.5, 754.5, 765.5, 776.5, 787.5, 798.5, 809.5, 820.5, 831.5],
    [439.5, 450.5, 461.5, 472.5, 483.5, 494.5, 505.5, 516.5, 527.5, 538.5, 549.5, 560.5, 571.5, 582.5, 593.5, 604.5, 615.5, 626.5, 637.5, 648.5, 659.5, 670.5, 681.5, 692.5, 703.5, 714.5, 725.5, 736.5, 747.5, 758.5, 769.5, 780.5, 791.5, 802.5, 813.5, 824.5, 835.5, 846.5, 857.5, 868.5],
    [476.5, 487.5, 498.5, 509.5, 520.5, 531.5, 542.5, 553.5, 564.5, 575.5, 586.5, 597.5, 608.5, 619.5, 630.5, 641.5, 652.5, 663.5, 674.5, 685.5, 696.5, 707.5, 718.5, 729.5, 740.5, 751.5, 762.5, 773.5, 784.5, 795.5, 806.5, 817.5, 828.5, 839.5, 850.5, 861.5, 872.5, 883.5, 894.5, 905.5],
    [513.5, 524.5, 535.5, 546.5, 557.5, 568.5, 579.5, 590.5, 601.5, 612.5, 623.5, 634.5, 645.5, 656.5, 667.5, 678.5, 689.5, 700.5, 711.5, 722.5, 733.5, 744.5, 755.5, 766.5, 777.5, 788.5, 799.5, 810.5, 821.5, 832.5, 843.5, 854.5, 865.5, 876.5, 887.5, 898.5, 909.5, 920.5, 931.5, 942.5],
    [550.5, 561.5, 572.5, 583.5, 594.5, 605.5, 616.5, 627.5, 638.5, 649.5, 660.5, 671.5, 682.5, 693.5, 704.5, 715.5, 726.5, 737.5, 748.5, 759.5, 770.5, 781.5, 792.5, 803.5, 814.5, 825.5, 836.5, 847.5, 858.5, 869.5, 880.5, 891.5, 902.5, 913.5, 924.5, 935.5, 946.5, 957.5, 968.5, 979.5],
    [587.5, 598.5, 609.5, 620.5, 631.5, 642.5, 653.5, 664.5, 675.5, 686.5, 697.5, 708.5, 719.5, 730.5, 741.5, 752.5, 763.5, 774.5, 785.5, 796.5, 807.5, 818.5, 829.5, 840.5, 851.5, 862.5, 873.5, 884.5, 895.5, 906.5, 917.5, 928.5, 939.5, 950.5, 961.5, 972.5, 983.5, 994.5, 5.5, 16.5],
    [624.5, 635.5, 646.5, 657.5, 668.5, 679.5, 690.5, 701.5, 712.5, 723.5, 734.5, 745.5, 756.5, 767.5, 778.5, 789.5, 800.5, 811.5, 822.5, 833.5, 844.5, 855.5, 866.5, 877.5, 888.5, 899.5, 910.5, 921.5, 932.5, 943.5, 954.5, 965.5, 976.5, 987.5, 998.5, 9.5, 20.5, 31.5, 42.5, 53.5],
    [661.5, 672.5, 683.5, 694.5, 705.5, 716.5, 727.5, 738.5, 749.5, 760.5, 771.5, 782.5, 793.5, 804.5, 815.5, 826.5, 837.5, 848.5, 859.5, 870.5, 881.5, 892.5, 903.5, 914.5, 925.5, 936.5, 947.5, 958.5, 969.5, 980.5, 991.5, 2.5, 13.5, 24.5, 35.5, 46.5, 57.5, 68.5, 79.5, 90.5],
    [698.5, 709.5, 720.5, 731.5, 742.5, 753.5, 764.5, 775.5, 786.5, 797.5, 808.5, 819.5, 830.5, 841.5, 852.5, 863.5, 874.5, 885.5, 896.5, 907.5, 918.5, 929.5, 940.5, 951.5, 962.5, 973.5, 984.5, 995.5, 6.5, 17.5, 28.5, 39.5, 50.5, 61.5, 72.5, 83.5, 94.5, 105.5, 116.5, 127.5],
    [735.5, 746.5, 757.5, 768.5, 779.5, 790.5, 801.5, 812.5, 823.5, 834.5, 845.5, 856.5, 867.5, 878.5, 889.5, 900.5, 911.5, 922.5, 933.5, 944.5, 955.5, 966.5, 977.5, 988.5, 999.5, 10.5, 21.5, 32.5, 43.5, 54.5, 65.5, 76.5, 87.5, 98.5, 109.5, 120.5, 131.5, 142.5, 153.5, 164.5],
    [772.5, 783.5, 794.5, 805.5, 816.5, 827.5, 838.5, 849.5, 860.5, 871.5, 882.5, 893.5, 904.5, 915.5, 926.5, 937.5, 948.5, 959.5, 970.5, 981.5, 992.5, 3.5, 14.5, 25.5, 36.5, 47.5, 58.5, 69.5, 80.5, 91.5, 102.5, 113.5, 124.5, 135.5, 146.5, 157.5, 168.5, 179.5, 190.5, 201.5],
    [809.5, 820.5, 831.5, 842.5, 853.5, 864.5, 875.5, 886.5, 897.5, 908.5, 919.5, 930.5, 941.5, 952.5, 963.5, 974.5, 985.5, 996.5, 7.5, 18.5, 29.5, 40.5, 51.5, 62.5, 73.5, 84.5, 95.5, 106.5, 117.5, 128.5, 139.5, 150.5, 161.5, 172.5, 183.5, 194.5, 205.5, 216.5, 227.5, 238.5],
    [846.5, 857.5, 868.5, 879.5, 890.5, 901.5, 912.5, 923.5, 934.5, 945.5, 956.5, 967.5, 978.5, 989.5, 0.5, 11.5, 22.5, 33.5, 44.5, 55.5, 66.5, 77.5, 88.5, 99.5, 110.5, 121.5, 132.5, 143.5, 154.5, 165.5, 176.5, 187.5, 198.5, 209.5, 220.5, 231.5, 242.5, 253.5, 264.5, 275.5],
    [883.5, 894.5, 905.5, 916.5, 927.5, 938.5, 949.5, 960.5, 971.5, 982.5, 993.5, 4.5, 15.5, 26.5, 37.5, 48.5, 59.5, 70.5, 81.5, 92.5, 103.5, 114.5, 125.5, 136.5, 147.5, 158.5, 169.5, 180.5, 191.5, 202.5, 213.5, 224.5, 235.5, 246.5, 257.5, 268.5, 279.5, 290.5, 301.5, 312.5],
    [920.5, 931.5, 942.5, 953.5, 964.5, 975.5, 986.5, 997.5, 8.5, 19.5, 30.5, 41.5, 52.5, 63.5, 74.5, 85.5, 96.5, 107.5, 118.5, 129.5, 140.5, 151.5, 162.5, 173.5, 184.5, 195.5, 206.5, 217.5, 228.5, 239.5, 250.5, 261.5, 272.5, 283.5, 294.5, 305.5, 316.5, 327.5, 338.5, 349.5],
    [957.5, 968.5, 979.5, 990.5, 1.5, 12.5, 23.5, 34.5, 45.5, 56.5, 67.5, 78.5, 89.5, 100.5, 111.5, 122.5, 133.5, 144.5, 155.5, 166.5, 177.5, 188.5, 199.5, 210.5, 221.5, 232.5, 243.5, 254.5, 265.5, 276.5, 287.5, 298.5, 309.5, 320.5, 331.5, 342.5, 353.5, 364.5, 375.5, 386.5],
    [994.5, 5.5, 16.5, 27.5, 38.5, 49.5, 60.5, 71.5, 82.5, 93.5, 104.5, 115.5, 126.5, 137.5, 148.5, 159.5, 170.5, 181.5, 192.5, 203.5, 214.5, 225.5, 236.5, 247.5, 258.5, 269.5, 280.5, 291.5, 302.5, 313.5, 324.5, 335.5, 346.5, 357.5, 368.5, 379.5, 390.5, 401.5, 412.5, 423.5],
    [31.5, 42.5, 53.5, 64.5, 75.5, 86.5, 97.5, 108.5, 119.5, 130.5, 141.5, 152.5, 163.5, 174.5, 185.5, 196.5, 207.5, 218.5, 229.5, 240.5, 251.5, 262.5, 273.5, 284.5, 295.5, 306.5, 317.5, 328.5, 339.5, 350.5, 361.5, 372.5, 383.5, 394.5, 405.5, 416.5, 427.5, 438.5, 449.5, 460.5],
    [68.5, 79.5, 90.5, 101.5, 112.5, 123.5, 134.5, 145.5, 156.5, 167.5, 178.5, 189.5, 200.5, 211.5, 222.5, 233.5, 244.5, 255.5, 266.5, 277.5, 288.5, 299.5, 310.5, 321.5, 332.5, 343.5, 354.5, 365.5, 376.5, 387.5, 398.5, 409.5, 420.5, 431.5, 442.5, 453.5, 464.5, 475.5, 486.5, 497.5],
    [105.5, 116.5, 127.5, 138.5, 149.5, 160.5, 171.5, 182.5, 193.5, 204.5, 215.5, 226.5, 237.5, 248.5, 259.5, 270.5, 281.5, 292.5, 303.5, 314.5, 325.5, 336.5, 347.5, 358.5, 369.5, 380.5, 391.5, 402.5, 413.5, 424.5, 435.5, 446.5, 457.5, 468.5, 479.5, 490.5, 501.5, 512.5, 523.5, 534.5],
    [142.5, 153.5, 164.5, 175.5, 186.5, 197.5, 208.5, 219.5, 230.5, 241.5, 252.5, 263.5, 274.5, 285.5, 296.5, 307.5, 318.5, 329.5, 340.5, 351.5, 362.5, 373.5, 384.5, 395.5, 406.5, 417.5, 428.5, 439.5, 450.5, 461.5, 472.5, 483.5, 494.5, 505.5, 516.5, 527.5, 538.5, 549.5, 560.5, 571.5],
    [179.5, 190.5, 201.5, 212.5, 223.5, 234.5, 245.5, 256.5, 267.5, 278.5, 289.5, 300.5, 311.5, 322.5, 333.5, 344.5, 355.5, 366.5, 377.5, 388.5, 399.5, 410.5, 421.5, 432.5, 443.5, 454.5, 465.5, 476.5, 487.5, 498.5, 509.5, 520.5, 531.5, 542.5, 553.5, 564.5, 575.5, 586.5, 597.5, 608.5],
    [216.5, 227.5, 238.5, 249.5, 260.5, 271.5, 282.5, 293.5, 304.5, 315.5, 326.5, 337.5, 348.5, 359.5, 370.5, 381.5, 392.5, 403.5, 414.5, 425.5, 436.5, 447.5, 458.5, 469.5, 480.5, 491.5, 502.5, 513.5, 524.5, 535.5, 546.5, 557.5, 568.5, 579.5, 590.5, 601.5, 612.5, 623.5, 634.5, 645.5],
    [253.5, 264.5, 275.5, 286.5, 297.5, 308.5, 319.5, 330.5, 341.5, 352.5, 363.5, 374.5, 385.5, 396.5, 407.5, 418.5, 429.5, 440.5, 451.5, 462.5, 473.5, 484.5, 495.5, 506.5, 517.5, 528.5, 539.5, 550.5, 561.5, 572.5, 583.5, 594.5, 605.5, 616.5, 627.5, 638.5, 649.5, 660.5, 671.5, 682.5],
    [290.5, 301.5, 312.5, 323.5, 334.5, 345.5, 356.5, 367.5, 378.5, 389.5, 400.5, 411.5, 422.5, 433.5, 444.5, 455.5, 466.5, 477.5, 488.5, 499.5, 510.5, 521.5, 532.5, 543.5, 554.5, 565.5, 576.5, 587.5, 598.5, 609.5, 620.5, 631.5, 642.5, 653.5, 664.5, 675.5, 686.5, 697.5, 708.5, 719.5],
    [327.5, 338.5, 349.5, 360.5, 371.5, 382.5, 393.5, 404.5, 415.5, 426.5, 437.5, 448.5, 459.5, 470.5, 481.5, 492.5, 503.5, 514.5, 525.5, 536.5, 547.5, 558.5, 569.5, 580.5, 591.5, 602.5, 613.5, 624.5, 635.5, 646.5, 657.5, 668.5, 679.5, 690.5, 701.5, 712.5, 723.5, 734.5, 745.5, 756.5],
    [364.5, 375.5, 386.5, 397.5, 408.5, 419.5, 430.5, 441.5, 452.5, 463.5, 474.5, 485.5, 496.5, 507.5, 518.5, 529.5, 540.5, 551.5, 562.5, 573.5, 584.5, 595.5, 606.5, 617.5, 628.5, 639.5, 650.5, 661.5, 672.5, 683.5, 694.5, 705.5, 716.5, 727.5, 738.5, 749.5, 760.5, 771.5, 782.5, 793.5],
    [401.5, 412.5, 423.5, 434.5, 445.5, 456.5, 467.5, 478.5, 489.5, 500.5, 511.5, 522.5, 533.5, 544.5, 555.5, 566.5, 577.5, 588.5, 599.5, 610.5, 621.5, 632.5, 643.5, 654.5, 665.5, 676.5, 687.5, 698.5, 709.5, 720.5, 731.5, 742.5, 753.5, 764.5, 775.5, 786.5, 797.5, 808.5, 819.5, 830.5],
    [438.5, 449.5, 460.5, 471.5, 482.5, 493.5, 504.5, 515.5, 526.5, 537.5, 548.5, 559.5, 570.5, 581.5, 592.5, 603.5, 614.5, 625.5, 636.5, 647.5, 658.5, 669.5, 680.5, 691.5, 702.5, 713.5, 724.5, 735.5, 746.5, 757.5, 768.5, 779.5, 790.5, 801.5, 812.5, 823.5, 834.5, 845.5, 856.5, 867.5],
    [475.5, 486.5, 497.5, 508.5, 519.5, 530.5, 541.5, 552.5, 563.5, 574.5, 585.5, 596.5, 607.5, 618.5, 629.5, 640.5, 651.5, 662.5, 673.5, 684.5, 695.5, 706.5, 717.5, 728.5, 739.5, 750.5, 761.5, 772.5, 783.5, 794.5, 805.5, 816.5, 827.5, 838.5, 849.5, 860.5, 871.5, 882.5, 893.5, 904.5],
    [512.5, 523.5, 534.5, 545.5, 556.5, 567.5, 578.5, 589.5, 600.5, 611.5, 622.5, 633.5, 644.5, 655.5, 666.5, 677.5, 688.5, 699.5, 710.5, 721.5, 732.5, 743.5, 754.5, 765.5, 776.5, 787.5, 798.5, 809.5, 820.5, 831.5, 842.5, 853.5, 864.5, 875.5, 886.5, 897.5, 908.5, 919.5, 930.5, 941.5],
    [549.5, 560.5, 571.5, 582.5, 593.5, 604.5, 615.5, 626.5, 637.5, 648.5, 659.5, 670.5, 681.5, 692.5, 703.5, 714.5, 725.5, 736.5, 747.5, 758.5, 769.5, 780.5, 791.5, 802.5, 813.5, 824.5, 835.5, 846.5, 857.5, 868.5, 879.5, 890.5, 901.5, 912.5, 923.5, 934.5, 945.5, 956.5, 967.5, 978.5],
    [586.5, 597.5, 608.5, 619.5, 630.5, 641.5, 652.5, 663.5, 674.5, 685.5, 696.5, 707.5, 718.5, 729.5, 740.5, 751.5, 762.5, 773.5, 784.5, 795.5, 806.5, 817.5, 828.5, 839.5, 850.5, 861.5, 872.5, 883.5, 894.5, 905.5, 916.5, 927.5, 938.5, 949.5, 960.5, 971.5, 982.5, 993.5, 4.5, 15.5],
    [623.5, 634.5, 645.5, 656.5, 667.5, 678.5, 689.5, 700.5, 711.5, 722.5, 733.5, 744.5, 755.5, 766.5, 777.5, 788.5, 799.5, 810.5, 821.5, 832.5, 843.5, 854.5, 865.5, 876.5, 887.5, 898.5, 909.5, 920.5, 931.5, 942.5, 953.5, 964.5, 975.5, 986.5, 997.5, 8.5, 19.5, 30.5, 41.5, 52.5],
    [660.5, 671.5, 682.5, 693.5, 704.5, 715.5, 726.5, 737.5, 748.5, 759.5, 770.5, 781.5, 792.5, 803.5, 814.5, 825.5, 836.5, 847.5, 858.5, 869.5, 880.5, 891.5, 902.5, 913.5, 924.5, 935.5, 946.5, 957.5, 968.5, 979.5, 990.5, 1.5, 12.5, 23.5, 34.5, 45.5, 56.5, 67.5, 78.5, 89.5],
    [697.5, 708.5, 719.5, 730.5, 741.5, 752.5, 763.5, 774.5, 785.5, 796.5, 807.5, 818.5, 829.5, 840.5, 851.5, 862.5, 873.5, 884.5, 895.5, 906.5, 917.5, 928.5, 939.5, 950.5, 961.5, 972.5, 983.5, 994.5, 5.5, 16.5, 27.5, 38.5, 49.5, 60.5, 71.5, 82.5, 93.5, 104.5, 115.5, 126.5],
    [734.5, 745.5, 756.5, 767.5, 778.5, 789.5, 800.5, 811.5, 822.5, 833.5, 844.5, 855.5, 866.5, 877.5, 888.5, 899.5, 910.5, 921.5, 932.5, 943.5, 954.5, 965.5, 976.5, 987.5, 998.5, 9.5, 20.5, 31.5, 42.5, 53.5, 64.5, 75.5, 86.5, 97.5, 108.5, 119.5, 130.5, 141.5, 152.5, 163.5],
    [771.5, 782.5, 793.5, 804.5, 815.5, 826.5, 837.5, 848.5, 859.5, 870.5, 881.5, 892.5, 903.5, 914.5, 925.5, 936.5, 947.5, 958.5, 969.5, 980.5, 991.5, 2.5, 13.5, 24.5, 35.5, 46.5, 57.5, 68.5, 79.5, 90.5, 101.5, 112.5, 123.5, 134.5, 145.5, 156.5, 167.5, 178.5, 189.5, 200.5],
    [808.5, 819.5, 830.5, 841.5, 852.5, 863.5, 874.5, 885.5, 896.5, 907.5, 918.5, 929.5, 940.5, 951.5, 962.5, 973.5, 984.5, 995.5, 6.5, 17.5, 28.5, 39.5, 50.5, 61.5, 72.5, 83.5, 94.5, 105.5, 116.5, 127.5, 138.5, 149.5, 160.5, 171.5, 182.5, 193.5, 204.5, 215.5, 226.5, 237.5],
    [845.5, 856.5, 867.5, 878.5, 889.5, 900.5, 911.5, 922.5, 933.5, 944.5, 955.5, 966.5, 977.5, 988.5, 999.5, 10.5, 21.5, 32.5, 43.5, 54.5, 65.5, 76.5, 87.5, 98.5, 109.5, 120.5, 131.5, 142.5, 153.5, 164.5, 175.5, 186.5, 197.5, 208.5, 219.5, 230.5, 241.5, 252.5, 263.5, 274.5],
    [882.5, 893.5, 904.5, 915.5, 926.5, 937.5, 948.5, 959.5, 970.5, 981.5, 992.5, 3.5, 14.5, 25.5, 36.5, 47.5, 58.5, 69.5, 80.5, 91.5, 102.5, 113.5, 124.5, 135.5, 146.5, 157.5, 168.5, 179.5, 190.5, 201.5, 212.5, 223.5, 234.5, 245.5, 256.5, 267.5, 278.5, 289.5, 300.5, 311.5],
    [919.5, 930.5, 941.5, 952.5, 963.5, 974.5, 985.5, 996.5, 7.5, 18.5, 29.5, 40.5, 51.5, 62.5, 73.5, 84.5, 95.5, 106.5, 117.5, 128.5, 139.5, 150.5, 161.5, 172.5, 183.5, 194.5, 205.5, 216.5, 227.5, 238.5, 249.5, 260.5, 271.5, 282.5, 293.5, 304.5, 315.5, 326.5, 337.5, 348.5],
    [956.5, 967.5, 978.5, 989.5, 0.5, 11.5, 22.5, 33.5, 44.5, 55.5, 66.5, 77.5, 88.5, 99.5, 110.5, 121.5, 132.5, 143.5, 154.5, 165.5, 176.5, 187.5, 198.5, 209.5, 220.5, 231.5, 242.5, 253.5, 264.5, 275.5, 286.5, 297.5, 308.5, 319.5, 330.5, 341.5, 352.5, 363.5, 374.5, 385.5],
    [993.5, 4.5, 15.5, 26.5, 37.5, 48.5, 59.5, 70.5, 81.5, 92.5, 103.5, 114.5, 125.5, 136.5, 147.5, 158.5, 169.5, 180.5, 191.5, 202.5, 213.5, 224.5, 235.5, 246.5, 257.5, 268.5, 279.5, 290.5, 301.5, 312.5, 323.5, 334.5, 345.5, 356.5, 367.5, 378.5, 389.5, 400.5, 411.5, 422.5],
    [30.5, 41.5, 52.5, 63.5, 74.5, 85.5, 96.5, 107.5, 118.5, 129.5, 140.5, 151.5, 162.5, 173.5, 184.5, 195.5, 206.5, 217.5, 228.5, 239.5, 250.5, 261.5, 272.5, 283.5, 294.5, 305.5, 316.5, 327.5, 338.5, 349.5, 360.5, 371.5, 382.5, 393.5, 404.5, 415.5, 426.5, 437.5, 448.5, 459.5],
    [67.5, 78.5, 89.5, 100.5, 111.5, 122.5, 133.5, 144.5, 155.5, 166.5, 177.5, 188.5, 199.5, 210.5, 221.5, 232.5, 243.5, 254.5, 265.5, 276.5, 287.5, 298.5, 309.5, 320.5, 331.5, 342.5, 353.5, 364.5, 375.5, 386.5, 397.5, 408.5, 419.5, 430.5, 441.5, 452.5, 463.5, 474.5, 485.5, 496.5],
    [104.5, 115.5, 126.5, 137.5, 148.5, 159.5, 170.5, 181.5, 192.5, 203.5, 214.5, 225.5, 236.5, 247.5, 258.5, 269.5, 280.5, 291.5, 302.5, 313.5, 324.5, 335.5, 346.5, 357.5, 368.5, 379.5, 390.5, 401.5, 412.5, 423.5, 434.5, 445.5, 456.5, 467.5, 478.5, 489.5, 500.5, 511.5, 522.5, 533.5],
    [141.5, 152.5, 163.5, 174.5, 185.5, 196.5, 207.5, 218.5, 229.5, 240.5, 251.5, 262.5, 273.5, 284.5, 295.5, 306.5, 317.5, 328.5, 339.5, 350.5, 361.5, 372.5, 383.5, 394.5, 405.5, 416.5, 427.5, 438.5, 449.5, 460.5, 471.5, 482.5, 493.5, 504.5, 515.5, 526.5, 537.5, 548.5, 559.5, 570.5],
    [178.5, 189.5, 200.5, 211.5, 222.5, 233.5, 244.5, 255.5, 266.5, 277.5, 288.5, 299.5, 310.5, 321.5, 332.5, 343.5, 354.5, 365.5, 376.5, 387.5, 398.5, 409.5, 420.5, 431.5, 442.5, 453.5, 464.5, 475.5, 486.5, 497.5, 508.5, 519.5, 530.5, 541.5, 552.5, 563.5, 574.5, 585.5, 596.5, 607.5],
    [215.5, 226.5, 237.5, 248.5, 259.5, 270.5, 281.5, 292.5, 303.5, 314.5, 325.5, 336.5, 347.5, 358.5, 369.5, 380.5, 391.5, 402.5, 413.5, 424.5, 435.5, 446.5, 457.5, 468.5, 479.5, 490.5, 501.5, 512.5, 523.5, 534.5, 545.5, 556.5, 567.5, 578.5, 589.5, 600.5, 611.5, 622.5, 633.5, 644.5],
    [252.5, 263.5, 274.5, 285.5, 296.5, 307.5, 318.5, 329.5, 340.5, 351.5, 362.5, 373.5, 384.5, 395.5, 406.5, 417.5, 428.5, 439.5, 450.5, 461.5, 472.5, 483.5, 494.5, 505.5, 516.5, 527.5, 538.5, 549.5, 560.5, 571.5, 582.5, 593.5, 604.5, 615.5, 626.5, 637.5, 648.5, 659.5, 670.5, 681.5],
    [289.5, 300.5, 311.5, 322.5, 333.5, 344.5, 355.5, 366.5, 377.5, 388.5, 399.5, 410.5, 421.5, 432.5, 443.5, 454.5, 465.5, 476.5, 487.5, 498.5, 509.5, 520.5, 531.5, 542.5, 553.5, 564.5, 575.5, 586.5, 597.5, 608.5, 619.5, 630.5, 641.5, 652.5, 663.5, 674.5, 685.5, 696.5, 707.5, 718.5],
    [326.5, 337.5, 348.5, 359.5, 370.5, 381.5, 392.5, 403.5, 414.5, 425.5, 436.5, 447.5, 458.5, 469.5, 480.5, 491.5, 502.5, 513.5, 524.5, 535.5, 546.5, 557.5, 568.5, 579.5, 590.5, 601.5, 612.5, 623.5, 634.5, 645.5, 656.5, 667.5, 678.5, 689.5, 700.5, 711.5, 722.5, 733.5, 744.5, 755.5],
    [363.5, 374.5, 385.5, 396.5, 407.5, 418.5, 429.5, 440.5, 451.5, 462.5, 473.5, 484.5, 495.5, 506.5, 517.5, 528.5, 539.5, 550.5, 561.5, 572.5, 583.5, 594.5, 605.5, 616.5, 627.5, 638.5, 649.5, 660.5, 671.5, 682.5, 693.5, 704.5, 715.5, 726.5, 737.5, 748.5, 759.5, 770.5, 781.5, 792.5],
    [400.5, 411.5, 422.5, 433.5, 444.5, 455.5, 466.5, 477.5, 488.5, 499.5, 510.5, 521.5, 532.5, 543.5, 554.5, 565.5, 576.5, 587.5, 598.5, 609.5, 620.5, 631.5, 642.5, 653.5, 664.5, 675.5, 686.5, 697.5, 708.5, 719.5, 730.5, 741.5, 752.5, 763.5, 774.5, 785.5, 796.5, 807.5, 818.5, 829.5],
    [437.5, 448.5, 459.5, 470.5, 481.5, 492.5, 503.5, 514.5, 525.5, 536.5, 547.5, 558.5, 569.5, 580.5, 591.5, 602.5, 613.5, 624.5, 635.5, 646.5, 657.5, 668.5, 679.5, 690.5, 701.5, 712.5, 723.5, 734.5, 745.5, 756.5, 767.5, 778.5, 789.5, 800.5, 811.5, 822.5, 833.5, 844.5, 855.5, 866.5],
    [474.5, 485.5, 496.5, 507.5, 518.5, 529.5, 540.5, 551.5, 562.5, 573.5, 584.5, 595.5, 606.5, 617.5, 628.5, 639.5, 650.5, 661.5, 672.5, 683.5, 694.5, 705.5, 716.5, 727.5, 738.5, 749.5, 760.5, 771.5, 782.5, 793.5, 804.5, 815.5, 826.5, 837.5, 848.5, 859.5, 870.5, 881.5, 892.5, 903.5],
    [511.5, 522.5, 533.5, 544.5, 555.5, 566.5, 577.5, 588.5, 599.5, 610.5, 621.5, 632.5, 643.5, 654.5, 665.5, 676.5, 687.5, 698.5, 709.5, 720.5, 731.5, 742.5, 753.5, 764.5, 775.5, 786.5, 797.5, 808.5, 819.5, 830.5, 841.5, 852.5, 863.5, 874.5, 885.5, 896.5, 907.5, 918.5, 929.5, 940.5],
    [548.5, 559.5, 570.5, 581.5, 592.5, 603.5, 614.5, 625.5, 636.5, 647.5, 658.5, 669.5, 680.5, 691.5, 702.5, 713.5, 724.5, 735.5, 746.5, 757.5, 768.5, 779.5, 790.5, 801.5, 812.5, 823.5, 834.5, 845.5, 856.5, 867.5, 878.5, 889.5, 900.5, 911.5, 922.5, 933.5, 944.5, 955.5, 966.5, 977.5],
    [585.5, 596.5, 607.5, 618.5, 629.5, 640.5, 651.5, 662.5, 673.5, 684.5, 695.5, 706.5, 717.5, 728.5, 739.5, 750.5, 761.5, 772.5, 783.5, 794.5, 805.5, 816.5, 827.5, 838.5, 849.5, 860.5, 871.5, 882.5, 893.5, 904.5, 915.5, 926.5, 937.5, 948.5, 959.5, 970.5, 981.5, 992.5, 3.5, 14.5],
    [622.5, 633.5, 644.5, 655.5, 666.5, 677.5, 688.5, 699.5, 710.5, 721.5, 732.5, 743.5, 754.5, 765.5, 776.5, 787.5, 798.5, 809.5, 820.5, 831.5, 842.5, 853.5, 864.5, 875.5, 886.5, 897.5, 908.5, 919.5, 930.5, 941.5, 952.5, 963.5, 974.5, 985.5, 996.5, 7.5, 18.5, 29.5, 40.5, 51.5],
    [659.5, 670.5, 681.5, 692.5, 703.5, 714.5, 725.5, 736.5, 747.5, 758.5, 769.5, 780.5, 791.5, 802.5, 813.5, 824.5, 835.5, 846.5, 857.5, 868.5, 879.5, 890.5, 901.5, 912.5, 923.5, 934.5, 945.5, 956.5, 967.5, 978.5, 989.5, 0.5, 11.5, 22.5, 33.5, 44.5, 55.5, 66.5, 77.5, 88.5],
    [696.5, 707.5, 718.5, 729.5, 740.5, 751.5, 762.5, 773.5, 784.5, 795.5, 806.5, 817.5, 828.5, 839.5, 850.5, 861.5, 872.5, 883.5, 894.5, 905.5, 916.5, 927.5, 938.5, 949.5, 960.5, 971.5, 982.5, 993.5, 4.5, 15.5, 26.5, 37.5, 48.5, 59.5, 70.5, 81.5, 92.5, 103.5, 114.5, 125.5],
    [733.5, 744.5, 755.5, 766.5, 777.5, 788.5, 799.5, 810.5, 821.5, 832.5, 843.5, 854.5, 865.5, 876.5, 887.5, 898.5, 909.5, 920.5, 931.5, 942.5, 953.5, 964.5, 975.5, 986.5, 997.5, 8.5, 19.5, 30.5, 41.5, 52.5, 63.5, 74.5, 85.5, 96.5, 107.5, 118.5, 129.5, 140.5, 151.5, 162.5],
    [770.5, 781.5, 792.5, 803.5, 814.5, 825.5, 836.5, 847.5, 858.5, 869.5, 880.5, 891.5, 902.5, 913.5, 924.5, 935.5, 946.5, 957.5, 968.5, 979.5, 990.5, 1.5, 12.5, 23.5, 34.5, 45.5, 56.5, 67.5, 78.5, 89.5, 100.5, 111.5, 122.5, 133.5, 144.5, 155.5, 166.5, 177.5, 188.5, 199.5],
    [807.5, 818.5, 829.5, 840.5, 851.5, 862.5, 873.5, 884.5, 895.5, 906.5, 917.5, 928.5, 939.5, 950.5, 961.5, 972.5, 983.5, 994.5, 5.5, 16.5, 27.5, 38.5, 49.5, 60.5, 71.5, 82.5, 93.5, 104.5, 115.5, 126.5, 137.5, 148.5, 159.5, 170.5, 181.5, 192.5, 203.5, 214.5, 225.5, 236.5],
    [844.5, 855.5, 866.5, 877.5, 888.5, 899.5, 910.5, 921.5, 932.5, 943.5, 954.5, 965.5, 976.5, 987.5, 998.5, 9.5, 20.5, 31.5, 42.5, 53.5, 64.5, 75.5, 86.5, 97.5, 108.5, 119.5, 130.5, 141.5, 152.5, 163.5, 174.5, 185.5, 196.5, 207.5, 218.5, 229.5, 240.5, 251.5, 262.5, 273.5],
    [881.5, 892.5, 903.5, 914.5, 925.5, 936.5, 947.5, 958.5, 969.5, 980.5, 991.5, 2.5, 13.5, 24.5, 35.5, 46.5, 57.5, 68.5, 79.5, 90.5, 101.5, 112.5, 123.5, 134.5, 145.5, 156.5, 167.5, 178.5, 189.5, 200.5, 211.5, 222.5, 233.5, 244.5, 255.5, 266.5, 277.5, 288.5, 299.5, 310.5],
    [918.5, 929.5, 940.5, 951.5, 962.5, 973.5, 984.5, 995.5, 6.5, 17.5, 28.5, 39.5, 50.5, 61.5, 72.5, 83.5, 94.5, 105.5, 116.5, 127.5, 138.5, 149.5, 160.5, 171.5, 182.5, 193.5, 204.5, 215.5, 226.5, 237.5, 248.5, 259.5, 270.5, 281.5, 292.5, 303.5, 314.5, 325.5, 336.5, 347.5],
    [955.5, 966.5, 977.5, 988.5, 999.5, 10.5, 21.5, 32.5, 43.5, 54.5, 65.5, 76.5, 87.5, 98.5, 109.5, 120.5, 131.5, 142.5, 153.5, 164.5, 175.5, 186.5, 197.5, 208.5, 219.5, 230.5, 241.5, 252.5, 263.5, 274.5, 285.5, 296.5, 307.5, 318.5, 329.5, 340.5, 351.5, 362.5, 373.5, 384.5],
    [992.5, 3.5, 14.5, 25.5, 36.5, 47.5, 58.5, 69.5, 80.5, 91.5, 102.5, 113.5, 124.5, 135.5, 146.5, 157.5, 168.5, 179.5, 190.5, 201.5, 212.5, 223.5, 234.5, 245.5, 256.5, 267.5, 278.5, 289.5, 300.5, 311.5, 322.5, 333.5, 344.5, 355.5, 366.5, 377.5, 388.5, 399.5, 410.5, 421.5],
    [29.5, 40.5, 51.5, 62.5, 73.5, 84.5, 95.5, 106.5, 117.5, 128.5, 139.5, 150.5, 161.5, 172.5, 183.5, 194.5, 205.5, 216.5, 227.5, 238.5, 249.5, 260.5, 271.5, 282.5, 293.5, 304.5, 315.5, 326.5, 337.5, 348.5, 359.5, 370.5, 381.5, 392.5, 403.5, 414.5, 425.5, 436.5, 447.5, 458.5],
    [66.5, 77.5, 88.5, 99.5, 110.5, 121.5, 132.5, 143.5, 154.5, 165.5, 176.5, 187.5, 198.5, 209.5, 220.5, 231.5, 242.5, 253.5, 264.5, 275.5, 286.5, 297.5, 308.5, 319.5, 330.5, 341.5, 352.5, 363.5, 374.5, 385.5, 396.5, 407.5, 418.5, 429.5, 440.5, 451.5, 462.5, 473.5, 484.5, 495.5],
    [103.5, 114.5, 125.5, 136.5, 147.5, 158.5, 169.5, 180.5, 191.5, 202.5, 213.5, 224.5, 235.5, 246.5, 257.5, 268.5, 279.5, 290.5, 301.5, 312.5, 323.5, 334.5, 345.5, 356.5, 367.5, 378.5, 389.5, 400.5, 411.5, 422.5, 433.5, 444.5, 455.5, 466.5, 477.5, 488.5, 499.5, 510.5, 521.5, 532.5],
    [140.5, 151.5, 162.5, 173.5, 184.5, 195.5, 206.5, 217.5, 228.5, 239.5, 250.5, 261.5, 272.5, 283.5, 294.5, 305.5, 316.5, 327.5, 338.5, 349.5, 360.5, 371.5, 382.5, 393.5, 404.5, 415.5, 426.5, 437.5, 448.5, 459.5, 470.5, 481.5, 492.5, 503.5, 514.5, 525.5, 536.5, 547.5, 558.5, 569.5],
    [177.5, 188.5, 199.5, 210.5, 221.5, 232.5, 243.5, 254.5, 265.5, 276.5, 287.5, 298.5, 309.5, 320.5, 331.5, 342.5, 353.5, 364.5, 375.5, 386.5, 397.5, 408.5, 419.5, 430.5, 441.5, 452.5, 463.5, 474.5, 485.5, 496.5, 507.5, 518.5, 529.5, 540.5, 551.5, 562.5, 573.5, 584.5, 595.5, 606.5],
    [214.5, 225.5, 236.5, 247.5, 258.5, 269.5, 280.5, 291.5, 302.5, 313.5, 324.5, 335.5, 346.5, 357.5, 368.5, 379.5, 390.5, 401.5, 412.5, 423.5, 434.5, 445.5, 456.5, 467.5, 478.5, 489.5, 500.5, 511.5, 522.5, 533.5, 544.5, 555.5, 566.5, 577.5, 588.5, 599.5, 610.5, 621.5, 632.5, 643.5],
    [251.5, 262.5, 273.5, 284.5, 295.5, 306.5, 317.5, 328.5, 339.5, 350.5, 361.5, 372.5, 383.5, 394.5, 405.5, 416.5, 427.5, 438.5, 449.5, 460.5, 471.5, 482.5, 493.5, 504.5, 515.5, 526.5, 537.5, 548.5, 559.5, 570.5, 581.5, 592.5, 603.5, 614.5, 625.5, 636.5, 647.5, 658.5, 669.5, 680.5],
    [288.5, 299.5, 310.5, 321.5, 332.5, 343.5, 354.5, 365.5, 376.5, 387.5, 398.5, 409.5, 420.5, 431.5, 442.5, 453.5, 464.5, 475.5, 486.5, 497.5, 508.5, 519.5, 530.5, 541.5, 552.5, 563.5, 574.5, 585.5, 596.5, 607.5, 618.5, 629.5, 640.5, 651.5, 662.5, 673.5, 684.5, 695.5, 706.5, 717.5],
    [325.5, 336.5, 347.5, 358.5, 369.5, 380.5, 391.5, 402.5, 413.5, 424.5, 435.5, 446.5, 457.5, 468.5, 479.5, 490.5, 501.5, 512.5, 523.5, 534.5, 545.5, 556.5, 567.5, 578.5, 589.5, 600.5, 611.5, 622.5, 633.5, 644.5, 655.5, 666.5, 677.5, 688.5, 699.5, 710.5, 721.5, 732.5, 743.5, 754.5],
    [362.5, 373.5, 384.5, 395.5, 406.5, 417.5, 428.5, 439.5, 450.5, 461.5, 472.5, 483.5, 494.5, 505.5, 516.5, 527.5, 538.5, 549.5, 560.5, 571.5, 582.5, 593.5, 604.5, 615.5, 626.5, 637.5, 648.5, 659.5, 670.5, 681.5, 692.5, 703.5, 714.5, 725.5, 736.5, 747.5, 758.5, 769.5, 780.5, 791.5],
    [399.5, 410.5, 421.5, 432.5, 443.5, 454.5, 465.5, 476.5, 487.5, 498.5, 509.5, 520.5, 531.5, 542.5, 553.5, 564.5, 575.5, 586.5, 597.5, 608.5, 619.5, 630.5, 641.5, 652.5, 663.5, 674.5, 685.5, 696.5, 707.5, 718.5, 729.5, 740.5, 751.5, 762.5, 773.5, 784.5, 795.5, 806.5, 817.5, 828.5],
    [436.5, 447.5, 458.5, 469.5, 480.5, 491.5, 502.5, 513.5, 524.5, 535.5, 546.5, 557.5, 568.5, 579.5, 590.5, 601.5, 612.5, 623.5, 634.5, 645.5, 656.5, 667.5, 678.5, 689.5, 700.5, 711.5, 722.5, 733.5, 744.5, 755.5, 766.5, 777.5, 788.5, 799.5, 810.5, 821.5, 832.5, 843.5, 854.5, 865.5],
    [473.5, 484.5, 495.5, 506.5, 517.5, 528.5, 539.5, 550.5, 561.5, 572.5, 583.5, 594.5, 605.5, 616.5, 627.5, 638.5, 649.5, 660.5, 671.5, 682.5, 693.5, 704.5, 715.5, 726.5, 737.5, 748.5, 759.5, 770.5, 781.5, 792.5, 803.5, 814.5, 825.5, 836.5, 847.5, 858.5, 869.5, 880.5, 891.5, 902.5],
    [510.5, 521.5, 532.5, 543.5, 554.5, 565.5, 576.5, 587.5, 598.5, 609.5, 620.5, 631.5, 642.5, 653.5, 664.5, 675.5, 686.5, 697.5, 708.5, 719.5, 730.5, 741.5, 752.5, 763.5, 774.5, 785.5, 796.5, 807.5, 818.5, 829.5, 840.5, 851.5, 862.5, 873.5, 884.5, 895.5, 906.5, 917.5, 928.5, 939.5],
    [547.5, 558.5, 569.5, 580.5, 591.5, 602.5, 613.5, 624.5, 635.5, 646.5, 657.5, 668.5, 679.5, 690.5, 701.5, 712.5, 723.5, 734.5, 745.5, 756.5, 767.5, 778.5, 789.5, 800.5, 811.5, 822.5, 833.5, 844.5, 855.5, 866.5, 877.5, 888.5, 899.5, 910.5, 921.5, 932.5, 943.5, 954.5, 965.5, 976.5],
    [584.5, 595.5, 606.5, 617.5, 628.5, 639.5, 650.5, 661.5, 672.5, 683.5, 694.5, 705.5, 716.5, 727.5, 738.5, 749.5, 760.5, 771.5, 782.5, 793.5, 804.5, 815.5, 826.5, 837.5, 848.5, 859.5, 870.5, 881.5, 892.5, 903.5, 914.5, 925.5, 936.5, 947.5, 958.5, 969.5, 980.5, 991.5, 2.5, 13.5],
    [621.5, 632.5, 643.5, 654.5, 665.5, 676.5, 687.5, 698.5, 709.5, 720.5, 731.5, 742.5, 753.5, 764.5, 775.5, 786.5, 797.5, 808.5, 819.5, 830.5, 841.5, 852.5, 863.5, 874.5, 885.5, 896.5, 907.5, 918.5, 929.5, 940.5, 951.5, 962.5, 973.5, 984.5, 995.5, 6.5, 17.5, 28.5, 39.5, 50.5],
    [658.5, 669.5, 680.5, 691.5, 702.5, 713.5, 724.5, 735.5, 746.5, 757.5, 768.5, 779.5, 790.5, 801.5, 812.5, 823.5, 834.5, 845.5, 856.5, 867.5, 878.5, 889.5, 900.5, 911.5, 922.5, 933.5, 944.5, 955.5, 966.5, 977.5, 988.5, 999.5, 10.5, 21.5, 32.5, 43.5, 54.5, 65.5, 76.5, 87.5],
    [695.5, 706.5, 717.5, 728.5, 739.5, 750.5, 761.5, 772.5, 783.5, 794.5, 805.5, 816.5, 827.5, 838.5, 849.5, 860.5, 871.5, 882.5, 893.5, 904.5, 915.5, 926.5, 937.5, 948.5, 959.5, 970.5, 981.5, 992.5, 3.5, 14.5, 25.5, 36.5, 47.5, 58.5, 69.5, 80.5, 91.5, 102.5, 113.5, 124.5],
    [732.5, 743.5, 754.5, 765.5, 776.5, 787.5, 798.5, 809.5, 820.5, 831.5, 842.5, 853.5, 864.5, 875.5, 886.5, 897.5, 908.5, 919.5, 930.5, 941.5, 952.5, 963.5, 974.5, 985.5, 996.5, 7.5, 18.5, 29.5, 40.5, 51.5, 62.5, 73.5, 84.5, 95.5, 106.5, 117.5, 128.5, 139.5, 150.5, 161.5],
    [769.5, 780.5, 791.5, 802.5, 813.5, 824.5, 835.5, 846.5, 857.5, 868.5, 879.5, 890.5, 901.5, 912.5, 923.5, 934.5, 945.5, 956.5, 967.5, 978.5, 989.5, 0.5, 11.5, 22.5, 33.5, 44.5, 55.5, 66.5, 77.5, 88.5, 99.5, 110.5, 121.5, 132.5, 143.5, 154.5, 165.5, 176.5, 187.5, 198.5],
    [806.5, 817.5, 828.5, 839.5, 850.5, 861.5, 872.5, 883.5, 894.5, 905.5, 916.5, 927.5, 938.5, 949.5, 960.5, 971.5, 982.5, 993.5, 4.5, 15.5, 26.5, 37.5, 48.5, 59.5, 70.5, 81.5, 92.5, 103.5, 114.5, 125.5, 136.5, 147.5, 158.5, 169.5, 180.5, 191.5, 202.5, 213.5, 224.5, 235.5],
    [843.5, 854.5, 865.5, 876.5, 887.5, 898.5, 909.5, 920.5, 931.5, 942.5, 953.5, 964.5, 975.5, 986.5, 997.5, 8.5, 19.5, 30.5, 41.5, 52.5, 63.5, 74.5, 85.5, 96.5, 107.5, 118.5, 129.5, 140.5, 151.5, 162.5, 173.5, 184.5, 195.5, 206.5, 217.5, 228.5, 239.5, 250.5, 261.5, 272.5],
    [880.5, 891.5, 902.5, 913.5, 924.5, 935.5, 946.5, 957.5, 968.5, 979.5, 990.5, 1.5, 12.5, 23.5, 34.5, 45.5, 56.5, 67.5, 78.5, 89.5, 100.5, 111.5, 122.5, 133.5, 144.5, 155.5, 166.5, 177.5, 188.5, 199.5, 210.5, 221.5, 232.5, 243.5, 254.5, 265.5, 276.5, 287.5, 298.5, 309.5],
    [917.5, 928.5, 939.5, 950.5, 961.5, 972.5, 983.5, 994.5, 5.5, 16.5, 27.5, 38.5, 49.5, 60.5, 71.5, 82.5, 93.5, 104.5, 115.5, 126.5, 137.5, 148.5, 159.5, 170.5, 181.5, 192.5, 203.5, 214.5, 225.5, 236.5, 247.5, 258.5, 269.5, 280.5, 291.5, 302.5, 313.5, 324.5, 335.5, 346.5],
    [954.5, 965.5, 976.5, 987.5, 998.5, 9.5, 20.5, 31.5, 42.5, 53.5, 64.5, 75.5, 86.5, 97.5, 108.5, 119.5, 130.5, 141.5, 152.5, 163.5, 174.5, 185.5, 196.5, 207.5, 218.5, 229.5, 240.5, 251.5, 262.5, 273.5, 284.5, 295.5, 306.5, 317.5, 328.5, 339.5, 350.5, 361.5, 372.5, 383.5],
    [991.5, 2.5, 13.5, 24.5, 35.5, 46.5, 57.5, 68.5, 79.5, 90.5, 101.5, 112.5, 123.5, 134.5, 145.5, 156.5, 167.5, 178.5, 189.5, 200.5, 211.5, 222.5, 233.5, 244.5, 255.5, 266.5, 277.5, 288.5, 299.5, 310.5, 321.5, 332.5, 343.5, 354.5, 365.5, 376.5, 387.5, 398.5, 409.5, 420.5],
    [28.5, 39.5, 50.5, 61.5, 72.5, 83.5, 94.5, 105.5, 116.5, 127.5, 138.5, 149.5, 160.5, 171.5, 182.5, 193.5, 204.5, 215.5, 226.5, 237.5, 248.5, 259.5, 270.5, 281.5, 292.5, 303.5, 314.5, 325.5, 336.5, 347.5, 358.5, 369.5, 380.5, 391.5, 402.5, 413.5, 424.5, 435.5, 446.5, 457.5],
    [65.5, 76.5, 87.5, 98.5, 109.5, 120.5, 131.5, 142.5, 153.5, 164.5, 175.5, 186.5, 197.5, 208.5, 219.5, 230.5, 241.5, 252.5, 263.5, 274.5, 285.5, 296.5, 307.5, 318.5, 329.5, 340.5, 351.5, 362.5, 373.5, 384.5, 395.5, 406.5, 417.5, 428.5, 439.5, 450.5, 461.5, 472.5, 483.5, 494.5],
    [102.5, 113.5, 124.5, 135.5, 146.5, 157.5, 168.5, 179.5, 190.5, 201.5, 212.5, 223.5, 234.5, 245.5, 256.5, 267.5, 278.5, 289.5, 300.5, 311.5, 322.5, 333.5, 344.5, 355.5, 366.5, 377.5, 388.5, 399.5, 410.5, 421.5, 432.5, 443.5, 454.5, 465.5, 476.5, 487.5, 498.5, 509.5, 520.5, 531.5],
    [139.5, 150.5, 161.5, 172.5, 183.5, 194.5, 205.5, 216.5, 227.5, 238.5, 249.5, 260.5, 271.5, 282.5, 293.5, 304.5, 315.5, 326.5, 337.5, 348.5, 359.5, 370.5, 381.5, 392.5, 403.5, 414.5, 425.5, 436.5, 447.5, 458.5, 469.5, 480.5, 491.5, 502.5, 513.5, 524.5, 535.5, 546.5, 557.5, 568.5],
    [176.5, 187.5, 198.5, 209.5, 220.5, 231.5, 242.5, 253.5, 264.5, 275.5, 286.5, 297.5, 308.5, 319.5, 330.5, 341.5, 352.5, 363.5, 374.5, 385.5, 396.5, 407.5, 418.5, 429.5, 440.5, 451.5, 462.5, 473.5, 484.5, 495.5, 506.5, 517.5, 528.5, 539.5, 550.5, 561.5, 572.5, 583.5, 594.5, 605.5],
    [213.5, 224.5, 235.5, 246.5, 257.5, 268.5, 279.5, 290.5, 301.5, 312.5, 323.5, 334.5, 345.5, 356.5, 367.5, 378.5, 389.5, 400.5, 411.5, 422.5, 433.5, 444.5, 455.5, 466.5, 477.5, 488.5, 499.5, 510.5, 521.5, 532.5, 543.5, 554.5, 565.5, 576.5, 587.5, 598.5, 609.5, 620.5, 631.5, 642.5],
    [250.5, 261.5, 272.5, 283.5, 294.5, 305.5, 316.5, 327.5, 338.5, 349.5, 360.5, 371.5, 382.5, 393.5, 404.5, 415.5, 426.5, 437.5, 448.5, 459.5, 470.5, 481.5, 492.5, 503.5, 514.5, 525.5, 536.5, 547.5, 558.5, 569.5, 580.5, 591.5, 602.5, 613.5, 624.5, 635.5, 646.5, 657.5, 668.5, 679.5],
    [287.5, 298.5, 309.5, 320.5, 331.5, 342.5, 353.5, 364.5, 375.5, 386.5, 397.5, 408.5, 419.5, 430.5, 441.5, 452.5, 463.5, 474.5, 485.5, 496.5, 507.5, 518.5, 529.5, 540.5, 551.5, 562.5, 573.5, 584.5, 595.5, 606.5, 617.5, 628.5, 639.5, 650.5, 661.5, 672.5, 683.5, 694.5, 705.5, 716.5],
    [324.5, 335.5, 346.5, 357.5, 368.5, 379.5, 390.5, 401.5, 412.5, 423.5, 434.5, 445.5, 456.5, 467.5, 478.5, 489.5, 500.5, 511.5, 522.5, 533.5, 544.5, 555.5, 566.5, 577.5, 588.5, 599.5, 610.5, 621.5, 632.5, 643.5, 654.5, 665.5, 676.5, 687.5, 698.5, 709.5, 720.5, 731.5, 742.5, 753.5],
    [361.5, 372.5, 383.5, 394.5, 405.5, 416.5, 427.5, 438.5, 449.5, 460.5, 471.5, 482.5, 493.5, 504.5, 515.5, 526.5, 537.5, 548.5, 559.5, 570.5, 581.5, 592.5, 603.5, 614.5, 625.5, 636.5, 647.5, 658.5, 669.5, 680.5, 691.5, 702.5, 713.5, 724.5, 735.5, 746.5, 757.5, 768.5, 779.5, 790.5],
    [398.5, 409.5, 420.5, 431.5, 442.5, 453.5, 464.5, 475.5, 486.5, 497.5, 508.5, 519.5, 530.5, 541.5, 552.5, 563.5, 574.5, 585.5, 596.5, 607.5, 618.5, 629.5, 640.5, 651.5, 662.5, 673.5, 684.5, 695.5, 706.5, 717.5, 728.5, 739.5, 750.5, 761.5, 772.5, 783.5, 794.5, 805.5, 816.5, 827.5],
    [435.5, 446.5, 457.5, 468.5, 479.5, 490.5, 501.5, 512.5, 523.5, 534.5, 545.5, 556.5, 567.5, 578.5, 589.5, 600.5, 611.5, 622.5, 633.5, 644.5, 655.5, 666.5, 677.5, 688.5, 699.5, 710.5, 721.5, 732.5, 743.5, 754.5, 765.5, 776.5, 787.5, 798.5, 809.5, 820.5, 831.5, 842.5, 853.5, 864.5],
    [472.5, 483.5, 494.5, 505.5, 516.5, 527.5, 538.5, 549.5, 560.5, 571.5, 582.5, 593.5, 604.5, 615.5, 626.5, 637.5, 648.5, 659.5, 670.5, 681.5, 692.5, 703.5, 714.5, 725.5, 736.5, 747.5, 758.5, 769.5, 780.5, 791.5, 802.5, 813.5, 824.5, 835.5, 846.5, 857.5, 868.5, 879.5, 890.5, 901.5],
    [509.5, 520.5, 531.5, 542.5, 553.5, 564.5, 575.5, 586.5, 597.5, 608.5, 619.5, 630.5, 641.5, 652.5, 663.5, 674.5, 685.5, 696.5, 707.5, 718.5, 729.5, 740.5, 751.5, 762.5, 773.5, 784.5, 795.5, 806.5, 817.5, 828.5, 839.5, 850.5, 861.5, 872.5, 883.5, 894.5, 905.5, 916.5, 927.5, 938.5],
    [546.5, 557.5, 568.5, 579.5, 590.5, 601.5, 612.5, 623.5, 634.5, 645.5, 656.5, 667.5, 678.5, 689.5, 700.5, 711.5, 722.5, 733.5, 744.5, 755.5, 766.5, 777.5, 788.5, 799.5, 810.5, 821.5, 832.5, 843.5, 854.5, 865.5, 876.5, 887.5, 898.5, 909.5, 920.5, 931.5, 942.5, 953.5, 964.5, 975.5],
    [583.5, 594.5, 605.5, 616.5, 627.5, 638.5, 649.5, 660.5, 671.5, 682.5, 693.5, 704.5, 715.5, 726.5, 737.5, 748.5, 759.5, 770.5, 781.5, 792.5, 803.5, 814.5, 825.5, 836.5, 847.5, 858.5, 869.5, 880.5, 891.5, 902.5, 913.5, 924.5, 935.5, 946.5, 957.5, 968.5, 979.5, 990.5, 1.5, 12.5],
    [620.5, 631.5, 642.5, 653.5, 664.5, 675.5, 686.5, 697.5, 708.5, 719.5, 730.5, 741.5, 752.5, 763.5, 774.5, 785.5, 796.5, 807.5, 818.5, 829.5, 840.5, 851.5, 862.5, 873.5, 884.5, 895.5, 906.5, 917.5, 928.5, 939.5, 950.5, 961.5, 972.5, 983.5, 994.5, 5.5, 16.5, 27.5, 38.5, 49.5],
    [657.5, 668.5, 679.5, 690.5, 701.5, 712.5, 723.5, 734.5, 745.5, 756.5, 767.5, 778.5, 789.5, 800.5, 811.5, 822.5, 833.5, 844.5, 855.5, 866.5, 877.5, 888.5, 899.5, 910.5, 921.5, 932.5, 943.5, 954.5, 965.5, 976.5, 987.5, 998.5, 9.5, 20.5, 31.5, 42.5, 53.5, 64.5, 75.5, 86.5],
    [694.5, 705.5, 716.5, 727.5, 738.5, 749.5, 760.5, 771.5, 782.5, 793.5, 804.5, 815.5, 826.5, 837.5, 848.5, 859.5, 870.5, 881.5, 892.5, 903.5, 914.5, 925.5, 936.5, 947.5, 958.5, 969.5, 980.5, 991.5, 2.5, 13.5, 24.5, 35.5, 46.5, 57.5, 68.5, 79.5, 90.5, 101.5, 112.5, 123.5],
    [731.5, 742.5, 753.5, 764.5, 775.5, 786.5, 797.5, 808.5, 819.5, 830.5, 841.5, 852.5, 863.5, 874.5, 885.5, 896.5, 907.5, 918.5, 929.5, 940.5, 951.5, 962.5, 973.5, 984.5, 995.5, 6.5, 17.5, 28.5, 39.5, 50.5, 61.5, 72.5, 83.5, 94.5, 105.5, 116.5, 127.5, 138.5, 149.5, 160.5],
    [768.5, 779.5, 790.5, 801.5, 812.5, 823.5, 834.5, 845.5, 856.5, 867.5, 878.5, 889.5, 900.5, 911.5, 922.5, 933.5, 944.5, 955.5, 966.5, 977.5, 988.5, 999.5, 10.5, 21.5, 32.5, 43.5, 54.5, 65.5, 76.5, 87.5, 98.5, 109.5, 120.5, 131.5, 142.5, 153.5, 164.5, 175.5, 186.5, 197.5],
    [805.5, 816.5, 827.5, 838.5, 849.5, 860.5, 871.5, 882.5, 893.5, 904.5, 915.5, 926.5, 937.5, 948.5, 959.5, 970.5, 981.5, 992.5, 3.5, 14.5, 25.5, 36.5, 47.5, 58.5, 69.5, 80.5, 91.5, 102.5, 113.5, 124.5, 135.5, 146.5, 157.5, 168.5, 179.5, 190.5, 201.5, 212.5, 223.5, 234.5],
    [842.5, 853.5, 864.5, 875.5, 886.5, 897.5, 908.5, 919.5, 930.5, 941.5, 952.5, 963.5, 974.5, 985.5, 996.5, 7.5, 18.5, 29.5, 40.5, 51.5, 62.5, 73.5, 84.5, 95.5, 106.5, 117.5, 128.5, 139.5, 150.5, 161.5, 172.5, 183.5, 194.5, 205.5, 216.5, 227.5, 238.5, 249.5, 260.5, 271.5],
    [879.5, 890.5, 901.5, 912.5, 923.5, 934.5, 945.5, 956.5, 967.5, 978.5, 989.5, 0.5, 11.5, 22.5, 33.5, 44.5, 55.5, 66.5, 77.5, 88.5, 99.5, 110.5, 121.5, 132.5, 143.5, 154.5, 165.5, 176.5, 187.5, 198.5, 209.5, 220.5, 231.5, 242.5, 253.5, 264.5, 275.5, 286.5, 297.5, 308.5],
    [916.5, 927.5, 938.5, 949.5, 960.5, 971.5, 982.5, 993.5, 4.5, 15.5, 26.5, 37.5, 48.5, 59.5, 70.5, 81.5, 92.5, 103.5, 114.5, 125.5, 136.5, 147.5, 158.5, 169.5, 180.5, 191.5, 202.5, 213.5, 224.5, 235.5, 246.5, 257.5, 268.5, 279.5, 290.5, 301.5, 312.5, 323.5, 334.5, 345.5],
    [953.5, 964.5, 975.5, 986.5, 997.5, 8.5, 19.5, 30.5, 41.5, 52.5, 63.5, 74.5, 85.5, 96.5, 107.5, 118.5, 129.5, 140.5, 151.5, 162.5, 173.5, 184.5, 195.5, 206.5, 217.5, 228.5, 239.5, 250.5, 261.5, 272.5, 283.5, 294.5, 305.5, 316.5, 327.5, 338.5, 349.5, 360.5, 371.5, 382.5],
    [990.5, 1.5, 12.5, 23.5, 34.5, 45.5, 56.5, 67.5, 78.5, 89.5, 100.5, 111.5, 122.5, 133.5, 144.5, 155.5, 166.5, 177.5, 188.5, 199.5, 210.5, 221.5, 232.5, 243.5, 254.5, 265.5, 276.5, 287.5, 298.5, 309.5, 320.5, 331.5, 342.5, 353.5, 364.5, 375.5, 386.5, 397.5, 408.5, 419.5],
    [27.5, 38.5, 49.5, 60.5, 71.5, 82.5, 93.5, 104.5, 115.5, 126.5, 137.5, 148.5, 159.5, 170.5, 181.5, 192.5, 203.5, 214.5, 225.5, 236.5, 247.5, 258.5, 269.5, 280.5, 291.5, 302.5, 313.5, 324.5, 335.5, 346.5, 357.5, 368.5, 379.5, 390.5, 401.5, 412.5, 423.5, 434.5, 445.5, 456.5],
    [64.5, 75.5, 86.5, 97.5, 108.5, 119.5, 130.5, 141.5, 152.5, 163.5, 174.5, 185.5, 196.5, 207.5, 218.5, 229.5, 240.5, 251.5, 262.5, 273.5, 284.5, 295.5, 306.5, 317.5, 328.5, 339.5, 350.5, 361.5, 372.5, 383.5, 394.5, 405.5, 416.5, 427.5, 438.5, 449.5, 460.5, 471.5, 482.5, 493.5],
    [101.5, 112.5, 123.5, 134.5, 145.5, 156.5, 167.5, 178.5, 189.5, 200.5, 211.5, 222.5, 233.5, 244.5, 255.5, 266.5, 277.5, 288.5, 299.5, 310.5, 321.5, 332.5, 343.5, 354.5, 365.5, 376.5, 387.5, 398.5, 409.5, 420.5, 431.5, 442.5, 453.5, 464.5, 475.5, 486.5, 497.5, 508.5, 519.5, 530.5],
    [138.5, 149.5, 160.5, 171.5, 182.5, 193.5, 204.5, 215.5, 226.5, 237.5, 248.5, 259.5, 270.5, 281.5, 292.5, 303.5, 314.5, 325.5, 336.5, 347.5, 358.5, 369.5, 380.5, 391.5, 402.5, 413.5, 424.5, 435.5, 446.5, 457.5, 468.5, 479.5, 490.5, 501.5, 512.5, 523.5, 534.5, 545.5, 556.5, 567.5],
    [175.5, 186.5, 197.5, 208.5, 219.5, 230.5, 241.5, 252.5, 263.5, 274.5, 285.5, 296.5, 307.5, 318.5, 329.5, 340.5, 351.5, 362.5, 373.5, 384.5, 395.5, 406.5, 417.5, 428.5, 439.5, 450.5, 461.5, 472.5, 483.5, 494.5, 505.5, 516.5, 527.5, 538.5, 549.5, 560.5, 571.5, 582.5, 593.5, 604.5],
    [212.5, 223.5, 234.5, 245.5, 256.5, 267.5, 278.5, 289.5, 300.5, 311.5, 322.5, 333.5, 344.5, 355.5, 366.5, 377.5, 388.5, 399.5, 410.5, 421.5, 432.5, 443.5, 454.5, 465.5, 476.5, 487.5, 498.5, 509.5, 520.5, 531.5, 542.5, 553.5, 564.5, 575.5, 586.5, 597.5, 608.5, 619.5, 630.5, 641.5],
    [249.5, 260.5, 271.5, 282.5, 293.5, 304.5, 315.5, 326.5, 337.5, 348.5, 359.5, 370.5, 381.5, 392.5, 403.5, 414.5, 425.5, 436.5, 447.5, 458.5, 469.5, 480.5, 491.5, 502.5, 513.5, 524.5, 535.5, 546.5, 557.5, 568.5, 579.5, 590.5, 601.5, 612.5, 623.5, 634.5, 645.5, 656.5, 667.5, 678.5],
    [286.5, 297.5, 308.5, 319.5, 330.5, 341.5, 352.5, 363.5, 374.5, 385.5, 396.5, 407.5, 418.5, 429.5, 440.5, 451.5, 462.5, 473.5, 484.5, 495.5, 506.5, 517.5, 528.5, 539.5, 550.5, 561.5, 572.5, 583.5, 594.5, 605.5, 616.5, 627.5, 638.5, 649.5, 660.5, 671.5, 682.5, 693.5, 704.5, 715.5],
    [323.5, 334.5, 345.5, 356.5, 367.5, 378.5, 389.5, 400.5, 411.5, 422.5, 433.5, 444.5, 455.5, 466.5, 477.5, 488.5, 499.5, 510.5, 521.5, 532.5, 543.5, 554.5, 565.5, 576.5, 587.5, 598.5, 609.5, 620.5, 631.5, 642.5, 653.5, 664.5, 675.5, 686.5, 697.5, 708.5, 719.5, 730.5, 741.5, 752.5],
    [360.5, 371.5, 382.5, 393.5, 404.5, 415.5, 426.5, 437.5, 448.5, 459.5, 470.5, 481.5, 492.5, 503.5, 514.5, 525.5, 536.5, 547.5, 558.5, 569.5, 580.5, 591.5, 602.5, 613.5, 624.5, 635.5, 646.5, 657.5, 668.5, 679.5, 690.5, 701.5, 712.5, 723.5, 734.5, 745.5, 756.5, 767.5, 778.5, 789.5],
    [397.5, 408.5, 419.5, 430.5, 441.5, 452.5, 463.5, 474.5, 485.5, 496.5, 507.5, 518.5, 529.5, 540.5, 551.5, 562.5, 573.5, 584.5, 595.5, 606.5, 617.5, 628.5, 639.5, 650.5, 661.5, 672.5, 683.5, 694.5, 705.5, 716.5, 727.5, 738.5, 749.5, 760.5, 771.5, 782.5, 793.5, 804.5, 815.5, 826.5],
    [434.5, 445.5, 456.5, 467.5, 478.5, 489.5, 500.5, 511.5, 522.5, 533.5, 544.5, 555.5, 566.5, 577.5, 588.5, 599.5, 610.5, 621.5, 632.5, 643.5, 654.5, 665.5, 676.5, 687.5, 698.5, 709.5, 720.5, 731.5, 742.5, 753.5, 764.5, 775.5, 786.5, 797.5, 808.5, 819.5, 830.5, 841.5, 852.5, 863.5],
    [471.5, 482.5, 493.5, 504.5, 515.5, 526.5, 537.5, 548.5, 559.5, 570.5, 581.5, 592.5, 603.5, 614.5, 625.5, 636.5, 647.5, 658.5, 669.5, 680.5, 691.5, 702.5, 713.5, 724.5, 735.5, 746.5, 757.5, 768.5, 779.5, 790.5, 801.5, 812.5, 823.5, 834.5, 845.5, 856.5, 867.5, 878.5, 889.5, 900.5],
    [508.5, 519.5, 530.5, 541.5, 552.5, 563.5, 574.5, 585.5, 596.5, 607.5, 618.5, 629.5, 640.5, 651.5, 662.5, 673.5, 684.5, 695.5, 706.5, 717.5, 728.5, 739.5, 750.5, 761.5, 772.5, 783.5, 794.5, 805.5, 816.5, 827.5, 838.5, 849.5, 860.5, 871.5, 882.5, 893.5, 904.5, 915.5, 926.5, 937.5],
    [545.5, 556.5, 567.5, 578.5, 589.5, 600.5, 611.5, 622.5, 633.5, 644.5, 655.5, 666.5, 677.5, 688.5, 699.5, 710.5, 721.5, 732.5, 743.5, 754.5, 765.5, 776.5, 787.5, 798.5, 809.5, 820.5, 831.5, 842.5, 853.5, 864.5, 875.5, 886.5, 897.5, 908.5, 919.5, 930.5, 941.5, 952.5, 963.5, 974.5],
    [582.5, 593.5, 604.5, 615.5, 626.5, 637.5, 648.5, 659.5, 670.5, 681.5, 692.5, 703.5, 714.5, 725.5, 736.5, 747.5, 758.5, 769.5, 780.5, 791.5, 802.5, 813.5, 824.5, 835.5, 846.5, 857.5, 868.5, 879.5, 890.5, 901.5, 912.5, 923.5, 934.5, 945.5, 956.5, 967.5, 978.5, 989.5, 0.5, 11.5],
    [619.5, 630.5, 641.5, 652.5, 663.5, 674.5, 685.5, 696.5, 707.5, 718.5, 729.5, 740.5, 751.5, 762.5, 773.5, 784.5, 795.5, 806.5, 817.5, 828.5, 839.5, 850.5, 861.5, 872.5, 883.5, 894.5, 905.5, 916.5, 927.5, 938.5, 949.5, 960.5, 971.5, 982.5, 993.5, 4.5, 15.5, 26.5, 37.5, 48.5],
    [656.5, 667.5, 678.5, 689.5, 700.5, 711.5, 722.5, 733.5, 744.5, 755.5, 766.5, 777.5, 788.5, 799.5, 810.5, 821.5, 832.5, 843.5, 854.5, 865.5, 876.5, 887.5, 898.5, 909.5, 920.5, 931.5, 942.5, 953.5, 964.5, 975.5, 986.5, 997.5, 8.5, 19.5, 30.5, 41.5, 52.5, 63.5, 74.5, 85.5],
    [693.5, 704.5, 715.5, 726.5, 737.5, 748.5, 759.5, 770.5, 781.5, 792.5, 803.5, 814.5, 825.5, 836.5, 847.5, 858.5, 869.5, 880.5, 891.5, 902.5, 913.5, 924.5, 935.5, 946.5, 957.5, 968.5, 979.5, 990.5, 1.5, 12.5, 23.5, 34.5, 45.5, 56.5, 67.5, 78.5, 89.5, 100.5, 111.5, 122.5],
    [730.5, 741.5, 752.5, 763.5, 774.5, 785.5, 796.5, 807.5, 818.5, 829.5, 840.5, 851.5, 862.5, 873.5, 884.5, 895.5, 906.5, 917.5, 928.5, 939.5, 950.5, 961.5, 972.5, 983.5, 994.5, 5.5, 16.5, 27.5, 38.5, 49.5, 60.5, 71.5, 82.5, 93.5, 104.5, 115.5, 126.5, 137.5, 148.5, 159.5],
    [767.5, 778.5, 789.5, 800.5, 811.5, 822.5, 833.5, 844.5, 855.5, 866.5, 877.5, 888.5, 899.5, 910.5, 921.5, 932.5, 943.5, 954.5, 965.5, 976.5, 987.5, 998.5, 9.5, 20.5, 31.5, 42.5, 53.5, 64.5, 75.5, 86.5, 97.5, 108.5, 119.5, 130.5, 141.5, 152.5, 163.5, 174.5, 185.5, 196.5],
    [804.5, 815.5, 826.5, 837.5, 848.5, 859.5, 870.5, 881.5, 892.5, 903.5, 914.5, 925.5, 936.5, 947.5, 958.5, 969.5, 980.5, 991.5, 2.5, 13.5, 24.5, 35.5, 46.5, 57.5, 68.5, 79.5, 90.5, 101.5, 112.5, 123.5, 134.5, 145.5, 156.5, 167.5, 178.5, 189.5, 200.5, 211.5, 222.5, 233.5],
    [841.5, 852.5, 863.5, 874.5, 885.5, 896.5, 907.5, 918.5, 929.5, 940.5, 951.5, 962.5, 973.5, 984.5, 995.5, 6.5, 17.5, 28.5, 39.5, 50.5, 61.5, 72.5, 83.5, 94.5, 105.5, 116.5, 127.5, 138.5, 149.5, 160.5, 171.5, 182.5, 193.5, 204.5, 215.5, 226.5, 237.5, 248.5, 259.5, 270.5],
    [878.5, 889.5, 900.5, 911.5, 922.5, 933.5, 944.5, 955.5, 966.5, 977.5, 988.5, 999.5, 10.5, 21.5, 32.5, 43.5, 54.5, 65.5, 76.5, 87.5, 98.5, 109.5, 120.5, 131.5, 142.5, 153.5, 164.5, 175.5, 186.5, 197.5, 208.5, 219.5, 230.5, 241.5, 252.5, 263.5, 274.5, 285.5, 296.5, 307.5],
    [915.5, 926.5, 937.5, 948.5, 959.5, 970.5, 981.5, 992.5, 3.5, 14.5, 25.5, 36.5, 47.5, 58.5, 69.5, 80.5, 91.5, 102.5, 113.5, 124.5, 135.5, 146.5, 157.5, 168.5, 179.5, 190.5, 201.5, 212.5, 223.5, 234.5, 245.5, 256.5, 267.5, 278.5, 289.5, 300.5, 311.5, 322.5, 333.5, 344.5],
    [952.5, 963.5, 974.5, 985.5, 996.5, 7.5, 18.5, 29.5, 40.5, 51.5, 62.5, 73.5, 84.5, 95.5, 106.5, 117.5, 128.5, 139.5, 150.5, 161.5, 172.5, 183.5, 194.5, 205.5, 216.5, 227.5, 238.5, 249.5, 260.5, 271.5, 282.5, 293.5, 304.5, 315.5, 326.5, 337.5, 348.5, 359.5, 370.5, 381.5],
    [989.5, 0.5, 11.5, 22.5, 33.5, 44.5, 55.5, 66.5, 77.5, 88.5, 99.5, 110.5, 121.5, 132.5, 143.5, 154.5, 165.5, 176.5, 187.5, 198.5, 209.5, 220.5, 231.5, 242.5, 253.5, 264.5, 275.5, 286.5, 297.5, 308.5, 319.5, 330.5, 341.5, 352.5, 363.5, 374.5, 385.5, 396.5, 407.5, 418.5],
    [26.5, 37.5, 48.5, 59.5, 70.5, 81.5, 92.5, 103.5, 114.5, 125.5, 136.5, 147.5, 158.5, 169.5, 180.5, 191.5, 202.5, 213.5, 224.5, 235.5, 246.5, 257.5, 268.5, 279.5, 290.5, 301.5, 312.5, 323.5, 334.5, 345.5, 356.5, 367.5, 378.5, 389.5, 400.5, 411.5, 422.5, 433.5, 444.5, 455.5],
    [63.5, 74.5, 85.5, 96.5, 107.5, 118.5, 129.5, 140.5, 151.5, 162.5, 173.5, 184.5, 195.5, 206.5, 217.5, 228.5, 239.5, 250.5, 261.5, 272.5, 283.5, 294.5, 305.5, 316.5, 327.5, 338.5, 349.5, 360.5, 371.5, 382.5, 393.5, 404.5, 415.5, 426.5, 437.5, 448.5, 459.5, 470.5, 481.5, 492.5],
];

fn lookup(x: i64, y: i64) -> i64 {
    match (x, y) {
        (0, _) => { 0 }
        (1, _) => { 3 }
        (2, _) => { 6 }
        (3, _) => { 9 }
        (4, _) => { 12 }
        (5, _) => { 15 }
        (6, _) => { 18 }
        (7, _) => { 21 }
        (8, _) => { 24 }
        (9, _) => { 27 }
        (10, _) => { 30 }
        (11, _) => { 33 }
        (12, _) => { 36 }
        (13, _) => { 39 }
        (14, _) => { 42 }
        (15, _) => { 45 }
        (16, _) => { 48 }
        (17, _) => { 51 }
        (18, _) => { 54 }
        (19, _) => { 57 }
        (20, _) => { 60 }
        (21, _) => { 63 }
        (22, _) => { 66 }
        (23, _) => { 69 }
        (24, _) => { 72 }
        (25, _) => { 75 }
        (26, _) => { 78 }
        (27, _) => { 81 }
        (28, _) => { 84 }
        (29, _) => { 87 }
        (30, _) => { 90 }
        (31, _) => { 93 }
        (32, _) => { 96 }
        (33, _) => { 99 }
        (34, _) => { 102 }
        (35, _) => { 105 }
        (36, _) => { 108 }
        (37, _) => { 111 }
        (38, _) => { 114 }
        (39, _) => { 117 }
        (40, _) => { 120 }
        (41, _) => { 123 }
        (42, _) => { 126 }
        (43, _) => { 129 }
        (44, _) => { 132 }
        (45, _) => { 135 }
        (46, _) => { 138 }
        (47, _) => { 141 }
        (48, _) => { 144 }
        (49, _) => { 147 }
        (50, _) => { 150 }
        (51, _) => { 153 }
        (52, _) => { 156 }
        (53, _) => { 159 }
        (54, _) => { 162 }
        (55, _) => { 165 }
        (56, _) => { 168 }
        (57, _) => { 171 }
        (58, _) => { 174 }
        (59, _) => { 177 }
        (60, _) => { 180 }
        (61, _) => { 183 }
        (62, _) => { 186 }
        (63, _) => { 189 }
        (64, _) => { 192 }
        (65, _) => { 195 }
        (66, _) => { 198 }
        (67, _) => { 201 }
        (68, _) => { 204 }
        (69, _) => { 207 }
        (70, _) => { 210 }
        (71, _) => { 213 }
        (72, _) => { 216 }
        (73, _) => { 219 }
        (74, _) => { 222 }
        (75, _) => { 225 }
        (76, _) => { 228 }
        (77, _) => { 231 }
        (78, _) => { 234 }
        (79, _) => { 237 }
        (80, _) => { 240 }
        (81, _) => { 243 }
        (82, _) => { 246 }
        (83, _) => { 249 }
        (84, _) => { 252 }
        (85, _) => { 255 }
        (86, _) => { 258 }
        (87, _) => { 261 }
        (88, _) => { 264 }
        (89, _) => { 267 }
        (90, _) => { 270 }
        (91, _) => { 273 }
        (92, _) => { 276 }
        (93, _) => { 279 }
        (94, _) => { 282 }
        (95, _) => { 285 }
        (96, _) => { 288 }
        (97, _) => { 291 }
        (98, _) => { 294 }
        (99, _) => { 297 }
        (100, _) => { 300 }
        (101, _) => { 303 }
        (102, _) => { 306 }
        (103, _) => { 309 }
        (104, _) => { 312 }
        (105, _) => { 315 }
        (106, _) => { 318 }
        (107, _) => { 321 }
        (108, _) => { 324 }
        (109, _) => { 327 }
        (110, _) => { 330 }
        (111, _) => { 333 }
        (112, _) => { 336 }
        (113, _) => { 339 }
        (114, _) => { 342 }
        (115, _) => { 345 }
        (116, _) => { 348 }
        (117, _) => { 351 }
        (118, _) => { 354 }
        (119, _) => { 357 }
        (120, _) => { 360 }
        (121, _) => { 363 }
        (122, _) => { 366 }
        (123, _) => { 369 }
        (124, _) => { 372 }
        (125, _) => { 375 }
        (126, _) => { 378 }
        (127, _) => { 381 }
        (128, _) => { 384 }
        (129, _) => { 387 }
        (130, _) => { 390 }
        (131, _) => { 393 }
        (132, _) => { 396 }
        (133, _) => { 399 }
        (134, _) => { 402 }
        (135, _) => { 405 }
        (136, _) => { 408 }
        (137, _) => { 411 }
        (138, _) => { 414 }
        (139, _) => { 417 }
        (140, _) => { 420 }
        (141, _) => { 423 }
        (142, _) => { 426 }
        (143, _) => { 429 }
        (144, _) => { 432 }
        (145, _) => { 435 }
        (146, _) => { 438 }
        (147, _) => { 441 }
        (148, _) => { 444 }
        (149, _) => { 447 }
        (150, _) => { 450 }
        (151, _) => { 453 }
        (152, _) => { 456 }
        (153, _) => { 459 }
        (154, _) => { 462 }
        (155, _) => { 465 }
        (156, _) => { 468 }
        (157, _) => { 471 }
        (158, _) => { 474 }
        (159, _) => { 477 }
        (160, _) => { 480 }
        (161, _) => { 483 }
        (162, _) => { 486 }
        (163, _) => { 489 }
        (164, _) => { 492 }
        (165, _) => { 495 }
        (166, _) => { 498 }
        (167, _) => { 501 }
        (168, _) => { 504 }
        (169, _) => { 507 }
        (170, _) => { 510 }
        (171, _) => { 513 }
        (172, _) => { 516 }
        (173, _) => { 519 }
        (174, _) => { 522 }
        (175, _) => { 525 }
        (176, _) => { 528 }
        (177, _) => { 531 }
        (178, _) => { 534 }
        (179, _) => { 537 }
        (180, _) => { 540 }
        (181, _) => { 543 }
        (182, _) => { 546 }
        (183, _) => { 549 }
        (184, _) => { 552 }
        (185, _) => { 555 }
        (186, _) => { 558 }
        (187, _) => { 561 }
        (188, _) => { 564 }
        (189, _) => { 567 }
        (190, _) => { 570 }
        (191, _) => { 573 }
        (192, _) => { 576 }
        (193, _) => { 579 }
        (194, _) => { 582 }
        (195, _) => { 585 }
        (196, _) => { 588 }
        (197, _) => { 591 }
        (198, _) => { 594 }
        (199, _) => { 597 }
        (200, _) => { 600 }
        (201, _) => { 603 }
        (202, _) => { 606 }
        (203, _) => { 609 }
        (204, _) => { 612 }
        (205, _) => { 615 }
        (206, _) => { 618 }
        (207, _) => { 621 }
        (208, _) => { 624 }
        (209, _) => { 627 }
        (210, _) => { 630 }
        (211, _) => { 633 }
        (212, _) => { 636 }
        (213, _) => { 639 }
        (214, _) => { 642 }
        (215, _) => { 645 }
        (216, _) => { 648 }
        (217, _) => { 651 }
        (218, _) => { 654 }
        (219, _) => { 657 }
        (220, _) => { 660 }
        (221, _) => { 663 }
        (222, _) => { 666 }
        (223, _) => { 669 }
        (224, _) => { 672 }
        (225, _) => { 675 }
        (226, _) => { 678 }
        (227, _) => { 681 }
        (228, _) => { 684 }
        (229, _) => { 687 }
        (230, _) => { 690 }
        (231, _) => { 693 }
        (232, _) => { 696 }
        (233, _) => { 699 }
        (234, _) => { 702 }
        (235, _) => { 705 }
        (236, _) => { 708 }
        (237, _) => { 711 }
        (238, _) => { 714 }
        (239, _) => { 717 }
        (240, _) => { 720 }
        (241, _) => { 723 }
        (242, _) => { 726 }
        (243, _) => { 729 }
        (244, _) => { 732 }
        (245, _) => { 735 }
        (246, _) => { 738 }
        (247, _) => { 741 }
        (248, _) => { 744 }
        (249, _) => { 747 }
        (250, _) => { 750 }
        (251, _) => { 753 }
        (252, _) => { 756 }
        (253, _) => { 759 }
        (254, _) => { 762 }
        (255, _) => { 765 }
        (256, _) => { 768 }
        (257, _) => { 771 }
        (258, _) => { 774 }
        (259, _) => { 777 }
        (260, _) => { 780 }
        (261, _) => { 783 }
        (262, _) => { 786 }
        (263, _) => { 789 }
        (264, _) => { 792 }
        (265, _) => { 795 }
        (266, _) => { 798 }
        (267, _) => { 801 }
        (268, _) => { 804 }
        (269, _) => { 807 }
        (270, _) => { 810 }
        (271, _) => { 813 }
        (272, _) => { 816 }
        (273, _) => { 819 }
        (274, _) => { 822 }
        (275, _) => { 825 }
        (276, _) => { 828 }
        (277, _) => { 831 }
        (278, _) => { 834 }
        (279, _) => { 837 }
        (280, _) => { 840 }
        (281, _) => { 843 }
        (282, _) => { 846 }
        (283, _) => { 849 }
        (284, _) => { 852 }
        (285, _) => { 855 }
        (286, _) => { 858 }
        (287, _) => { 861 }
        (288, _) => { 864 }
        (289, _) => { 867 }
        (290, _) => { 870 }
        (291, _) => { 873 }
        (292, _) => { 876 }
        (293, _) => { 879 }
        (294, _) => { 882 }
        (295, _) => { 885 }
        (296, _) => { 888 }
        (297, _) => { 891 }
        (298, _) => { 894 }
        (299, _) => { 897 }
        (300, _) => { 900 }
        (301, _) => { 903 }
        (302, _) => { 906 }
        (303, _) => { 909 }
        (304, _) => { 912 }
        (305, _) => { 915 }
        (306, _) => { 918 }
        (307, _) => { 921 }
        (308, _) => { 924 }
        (309, _) => { 927 }
        (310, _) => { 930 }
        (311, _) => { 933 }
        (312, _) => { 936 }
        (313, _) => { 939 }
        (314, _) => { 942 }
        (315, _) => { 945 }
        (316, _) => { 948 }
        (317, _) => { 951 }
        (318, _) => { 954 }
        (319, _) => { 957 }
        (320, _) => { 960 }
        (321, _) => { 963 }
        (322, _) => { 966 }
        (323, _) => { 969 }
        (324, _) => { 972 }
        (325, _) => { 975 }
        (326, _) => { 978 }
        (327, _) => { 981 }
        (328, _) => { 984 }
        (329, _) => { 987 }
        (330, _) => { 990 }
        (331, _) => { 993 }
        (332, _) => { 996 }
        (333, _) => { 999 }
        (334, _) => { 1002 }
        (335, _) => { 1005 }
        (336, _) => { 1008 }
        (337, _) => { 1011 }
        (338, _) => { 1014 }
        (339, _) => { 1017 }
        (340, _) => { 1020 }
        (341, _) => { 1023 }
        (342, _) => { 1026 }
        (343, _) => { 1029 }
        (344, _) => { 1032 }
        (345, _) => { 1035 }
        (346, _) => { 1038 }
        (347, _) => { 1041 }
        (348, _) => { 1044 }
        (349, _) => { 1047 }
        (350, _) => { 1050 }
        (351, _) => { 1053 }
        (352, _) => { 1056 }
        (353, _) => { 1059 }
        (354, _) => { 1062 }
        (355, _) => { 1065 }
        (356, _) => { 1068 }
        (357, _) => { 1071 }
        (358, _) => { 1074 }
        (359, _) => { 1077 }
        (360, _) => { 1080 }
        (361, _) => { 1083 }
        (362, _) => { 1086 }
        (363, _) => { 1089 }
        (364, _) => { 1092 }
        (365, _) => { 1095 }
        (366, _) => { 1098 }
        (367, _) => { 1101 }
        (368, _) => { 1104 }
        (369, _) => { 1107 }
        (370, _) => { 1110 }
        (371, _) => { 1113 }
        (372, _) => { 1116 }
        (373, _) => { 1119 }
        (374, _) => { 1122 }
        (375, _) => { 1125 }
        (376, _) => { 1128 }
        (377, _) => { 1131 }
        (378, _) => { 1134 }
        (379, _) => { 1137 }
        (380, _) => { 1140 }
        (381, _) => { 1143 }
        (382, _) => { 1146 }
        (383, _) => { 1149 }
        (384, _) => { 1152 }
        (385, _) => { 1155 }
        (386, _) => { 1158 }
        (387, _) => { 1161 }
        (388, _) => { 1164 }
        (389, _) => { 1167 }
        (390, _) => { 1170 }
        (391, _) => { 1173 }
        (392, _) => { 1176 }
        (393, _) => { 1179 }
        (394, _) => { 1182 }
        (395, _) => { 1185 }
        (396, _) => { 1188 }
        (397, _) => { 1191 }
        (398, _) => { 1194 }
        (399, _) => { 1197 }
        (400, _) => { 1200 }
        (401, _) => { 1203 }
        (402, _) => { 1206 }
        (403, _) => { 1209 }
        (404, _) => { 1212 }
        (405, _) => { 1215 }
        (406, _) => { 1218 }
        (407, _) => { 1221 }
        (408, _) => { 1224 }
        (409, _) => { 1227 }
        (410, _) => { 1230 }
        (411, _) => { 1233 }
        (412, _) => { 1236 }
        (413, _) => { 1239 }
        (414, _) => { 1242 }
        (415, _) => { 1245 }
        (416, _) => { 1248 }
        (417, _) => { 1251 }
        (418, _) => { 1254 }
        (419, _) => { 1257 }
        (420, _) => { 1260 }
        (421, _) => { 1263 }
        (422, _) => { 1266 }
        (423, _) => { 1269 }
        (424, _) => { 1272 }
        (425, _) => { 1275 }
        (426, _) => { 1278 }
        (427, _) => { 1281 }
        (428, _) => { 1284 }
        (429, _) => { 1287 }
        (430, _) => { 1290 }
        (431, _) => { 1293 }
        (432, _) => { 1296 }
        (433, _) => { 1299 }
        (434, _) => { 1302 }
        (435, _) => { 1305 }
        (436, _) => { 1308 }
        (437, _) => { 1311 }
        (438, _) => { 1314 }
        (439, _) => { 1317 }
        (440, _) => { 1320 }
        (441, _) => { 1323 }
        (442, _) => { 1326 }
        (443, _) => { 1329 }
        (444, _) => { 1332 }
        (445, _) => { 1335 }
        (446, _) => { 1338 }
        (447, _) => { 1341 }
        (448, _) => { 1344 }
        (449, _) => { 1347 }
        (450, _) => { 1350 }
        (451, _) => { 1353 }
        (452, _) => { 1356 }
        (453, _) => { 1359 }
        (454, _) => { 1362 }
        (455, _) => { 1365 }
        (456, _) => { 1368 }
        (457, _) => { 1371 }
        (458, _) => { 1374 }
        (459, _) => { 1377 }
        (460, _) => { 1380 }
        (461, _) => { 1383 }
        (462, _) => { 1386 }
        (463, _) => { 1389 }
        (464, _) => { 1392 }
        (465, _) => { 1395 }
        (466, _) => { 1398 }
        (467, _) => { 1401 }
        (468, _) => { 1404 }
        (469, _) => { 1407 }
        (470, _) => { 1410 }
        (471, _) => { 1413 }
        (472, _) => { 1416 }
        (473, _) => { 1419 }
        (474, _) => { 1422 }
        (475, _) => { 1425 }
        (476, _) => { 1428 }
        (477, _) => { 1431 }
        (478, _) => { 1434 }
        (479, _) => { 1437 }
        (480, _) => { 1440 }
        (481, _) => { 1443 }
        (482, _) => { 1446 }
        (483, _) => { 1449 }
        (484, _) => { 1452 }
        (485, _) => { 1455 }
        (486, _) => { 1458 }
        (487, _) => { 1461 }
        (488, _) => { 1464 }
        (489, _) => { 1467 }
        (490, _) => { 1470 }
        (491, _) => { 1473 }
        (492, _) => { 1476 }
        (493, _) => { 1479 }
        (494, _) => { 1482 }
        (495, _) => { 1485 }
        (496, _) => { 1488 }
        (497, _) => { 1491 }
        (498, _) => { 1494 }
        (499, _) => { 1497 }
        (500, _) => { 1500 }
        (501, _) => { 1503 }
        (502, _) => { 1506 }
        (503, _) => { 1509 }
        (504, _) => { 1512 }
        (505, _) => { 1515 }
        (506, _) => { 1518 }
        (507, _) => { 1521 }
        (508, _) => { 1524 }
        (509, _) => { 1527 }
        (510, _) => { 1530 }
        (511, _) => { 1533 }
        (512, _) => { 1536 }
        (513, _) => { 1539 }
        (514, _) => { 1542 }
        (515, _) => { 1545 }
        (516, _) => { 1548 }
        (517, _) => { 1551 }
        (518, _) => { 1554 }
        (519, _) => { 1557 }
        (520, _) => { 1560 }
        (521, _) => { 1563 }
        (522, _) => { 1566 }
        (523, _) => { 1569 }
        (524, _) => { 1572 }
        (525, _) => { 1575 }
        (526, _) => { 1578 }
        (527, _) => { 1581 }
        (528, _) => { 1584 }
        (529, _) => { 1587 }
        (530, _) => { 1590 }
        (531, _) => { 1593 }
        (532, _) => { 1596 }
        (533, _) => { 1599 }
        (534, _) => { 1602 }
        (535, _) => { 1605 }
        (536, _) => { 1608 }
        (537, _) => { 1611 }
        (538, _) => { 1614 }
        (539, _) => { 1617 }
        (540, _) => { 1620 }
        (541, _) => { 1623 }
        (542, _) => { 1626 }
        (543, _) => { 1629 }
        (544, _) => { 1632 }
        (545, _) => { 1635 }
        (546, _) => { 1638 }
        (547, _) => { 1641 }
        (548, _) => { 1644 }
        (549, _) => { 1647 }
        (550, _) => { 1650 }
        (551, _) => { 1653 }
        (552, _) => { 1656 }
        (553, _) => { 1659 }
        (554, _) => { 1662 }
        (555, _) => { 1665 }
        (556, _) => { 1668 }
        (557, _) => { 1671 }
        (558, _) => { 1674 }
        (559, _) => { 1677 }
        (560, _) => { 1680 }
        (561, _) => { 1683 }
        (562, _) => { 1686 }
        (563, _) => { 1689 }
        (564, _) => { 1692 }
        (565, _) => { 1695 }
        (566, _) => { 1698 }
        (567, _) => { 1701 }
        (568, _) => { 1704 }
        (569, _) => { 1707 }
        (570, _) => { 1710 }
        (571, _) => { 1713 }
        (572, _) => { 1716 }
        (573, _) => { 1719 }
        (574, _) => { 1722 }
        (575, _) => { 1725 }
        (576, _) => { 1728 }
        (577, _) => { 1731 }
        (578, _) => { 1734 }
        (579, _) => { 1737 }
        (580, _) => { 1740 }
        (581, _) => { 1743 }
        (582, _) => { 1746 }
        (583, _) => { 1749 }
        (584, _) => { 1752 }
        (585, _) => { 1755 }
        (586, _) => { 1758 }
        (587, _) => { 1761 }
        (588, _) => { 1764 }
        (589, _) => { 1767 }
        (590, _) => { 1770 }
        (591, _) => { 1773 }
        (592, _) => { 1776 }
        (593, _) => { 1779 }
        (594, _) => { 1782 }
        (595, _) => { 1785 }
        (596, _) => { 1788 }
        (597, _) => { 1791 }
        (598, _) => { 1794 }
        (599, _) => { 1797 }
        (600, _) => { 1800 }
        (601, _) => { 1803 }
        (602, _) => { 1806 }
        (603, _) => { 1809 }
        (604, _) => { 1812 }
        (605, _) => { 1815 }
        (606, _) => { 1818 }
        (607, _) => { 1821 }
        (608, _) => { 1824 }
        (609, _) => { 1827 }
        (610, _) => { 1830 }
        (611, _) => { 1833 }
        (612, _) => { 1836 }
        (613, _) => { 1839 }
        (614, _) => { 1842 }
        (615, _) => { 1845 }
        (616, _) => { 1848 }
        (617, _) => { 1851 }
        (618, _) => { 1854 }
        (619, _) => { 1857 }
        (620, _) => { 1860 }
        (621, _) => { 1863 }
        (622, _) => { 1866 }
        (623, _) => { 1869 }
        (624, _) => { 1872 }
        (625, _) => { 1875 }
        (626, _) => { 1878 }
        (627, _) => { 1881 }
        (628, _) => { 1884 }
        (629, _) => { 1887 }
        (630, _) => { 1890 }
        (631, _) => { 1893 }
        (632, _) => { 1896 }
        (633, _) => { 1899 }
        (634, _) => { 1902 }
        (635, _) => { 1905 }
        (636, _) => { 1908 }
        (637, _) => { 1911 }
        (638, _) => { 1914 }
        (639, _) => { 1917 }
        (640, _) => { 1920 }
        (641, _) => { 1923 }
        (642, _) => { 1926 }
        (643, _) => { 1929 }
        (644, _) => { 1932 }
        (645, _) => { 1935 }
        (646, _) => { 1938 }
        (647, _) => { 1941 }
        (648, _) => { 1944 }
        (649, _) => { 1947 }
        (650, _) => { 1950 }
        (651, _) => { 1953 }
        (652, _) => { 1956 }
        (653, _) => { 1959 }
        (654, _) => { 1962 }
        (655, _) => { 1965 }
        (656, _) => { 1968 }
        (657, _) => { 1971 }
        (658, _) => { 1974 }
        (659, _) => { 1977 }
        (660, _) => { 1980 }
        (661, _) => { 1983 }
        (662, _) => { 1986 }
        (663, _) => { 1989 }
        (664, _) => { 1992 }
        (665, _) => { 1995 }
        (666, _) => { 1998 }
        (667, _) => { 2001 }
        (668, _) => { 2004 }
        (669, _) => { 2007 }
        (670, _) => { 2010 }
        (671, _) => { 2013 }
        (672, _) => { 2016 }
        (673, _) => { 2019 }
        (674, _) => { 2022 }
        (675, _) => { 2025 }
        (676, _) => { 2028 }
        (677, _) => { 2031 }
        (678, _) => { 2034 }
        (679, _) => { 2037 }
        (680, _) => { 2040 }
        (681, _) => { 2043 }
        (682, _) => { 2046 }
        (683, _) => { 2049 }
        (684, _) => { 2052 }
        (685, _) => { 2055 }
        (686, _) => { 2058 }
        (687, _) => { 2061 }
        (688, _) => { 2064 }
        (689, _) => { 2067 }
        (690, _) => { 2070 }
        (691, _) => { 2073 }
        (692, _) => { 2076 }
        (693, _) => { 2079 }
        (694, _) => { 2082 }
        (695, _) => { 2085 }
        (696, _) => { 2088 }
        (697, _) => { 2091 }
        (698, _) => { 2094 }
        (699, _) => { 2097 }
        _ => 0,
    }
}

fn ladder(x: i64) -> i64 {
    if x < 1 { 1 } else if x < 2 { 2 } else if x < 3 { 3 } else if x < 4 { 4 } else if x < 5 { 5 } else if x < 6 { 6 } else if x < 7 { 7 } else if x < 8 { 8 } else if x < 9 { 9 } else if x < 10 { 10 } else if x < 11 { 11 } else if x < 12 { 12 } else if x < 13 { 13 } else if x < 14 { 14 } else if x < 15 { 15 } else if x < 16 { 16 } else if x < 17 { 17 } else if x < 18 { 18 } else if x < 19 { 19 } else if x < 20 { 20 } else if x < 21 { 21 } else if x < 22 { 22 } else if x < 23 { 23 } else if x < 24 { 24 } else if x < 25 { 25 } else if x < 26 { 26 } else if x < 27 { 27 } else if x < 28 { 28 } else if x < 29 { 29 } else if x < 30 { 30 } else if x < 31 { 31 } else if x < 32 { 32 } else if x < 33 { 33 } else if x < 34 { 34 } else if x < 35 { 35 } else if x < 36 { 36 } else if x < 37 { 37 } else if x < 38 { 38 } else if x < 39 { 39 } else if x < 40 { 40 } else if x < 41 { 41 } else if x < 42 { 42 } else if x < 43 { 43 } else if x < 44 { 44 } else if x < 45 { 45 } else if x < 46 { 46 } else if x < 47 { 47 } else if x < 48 { 48 } else if x < 49 { 49 } else if x < 50 { 50 } else if x < 51 { 51 } else if x < 52 { 52 } else if x < 53 { 53 } else if x < 54 { 54 } else if x < 55 { 55 } else if x < 56 { 56 } else if x < 57 { 57 } else if x < 58 { 58 } else if x < 59 { 59 } else if x < 60 { 60 } else if x < 61 { 61 } else if x < 62 { 62 } else if x < 63 { 63 } else if x < 64 { 64 } else if x < 65 { 65 } else if x < 66 { 66 } else if x < 67 { 67 } else if x < 68 { 68 } else if x < 69 { 69 } else if x < 70 { 70 } else if x < 71 { 71 } else if x < 72 { 72 } else if x < 73 { 73 } else if x < 74 { 74 } else if x < 75 { 75 } else if x < 76 { 76 } else if x < 77 { 77 } else if x < 78 { 78 } else if x < 79 { 79 } else if x < 80 { 80 } else if x < 81 { 81 } else if x < 82 { 82 } else if x < 83 { 83 } else if x < 84 { 84 } else if x < 85 { 85 } else if x < 86 { 86 } else if x < 87 { 87 } else if x < 88 { 88 } else if x < 89 { 89 } else if x < 90 { 90 } else if x < 91 { 91 } else if x < 92 { 92 } else if x < 93 { 93 } else if x < 94 { 94 } else if x < 95 { 95 } else if x < 96 { 96 } else if x < 97 { 97 } else if x < 98 { 98 } else if x < 99 { 99 } else if x < 100 { 100 } else if x < 101 { 101 } else if x < 102 { 102 } else if x < 103 { 103 } else if x < 104 { 104 } else if x < 105 { 105 } else if x < 106 { 106 } else if x < 107 { 107 } else if x < 108 { 108 } else if x < 109 { 109 } else if x < 110 { 110 } else if x < 111 { 111 } else if x < 112 { 112 } else if x < 113 { 113 } else if x < 114 { 114 } else if x < 115 { 115 } else if x < 116 { 116 } else if x < 117 { 117 } else if x < 118 { 118 } else if x < 119 { 119 } else { 0 }
}

fn sum(x: &[f64]) -> f64 {
    x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7] + x[8] + x[9] + x[10] + x[11] + x[12] + x[13] + x[14] + x[15] + x[16] + x[17] + x[18] + x[19] + x[20] + x[21] + x[22] + x[23] + x[24] + x[25] + x[26] + x[27] + x[28] + x[29] + x[30] + x[31] + x[32] + x[33] + x[34] + x[35] + x[36] + x[37] + x[38] + x[39] + x[40] + x[41] + x[42] + x[43] + x[44] + x[45] + x[46] + x[47] + x[48] + x[49] + x[50] + x[51] + x[52] + x[53] + x[54] + x[55] + x[56] + x[57] + x[58] + x[59] + x[60] + x[61] + x[62] + x[63] + x[64] + x[65] + x[66] + x[67] + x[68] + x[69] + x[70] + x[71] + x[72] + x[73] + x[74] + x[75] + x[76] + x[77] + x[78] + x[79] + x[80] + x[81] + x[82] + x[83] + x[84] + x[85] + x[86] + x[87] + x[88] + x[89] + x[90] + x[91] + x[92] + x[93] + x[94] + x[95] + x[96] + x[97] + x[98] + x[99] + x[100] + x[101] + x[102] + x[103] + x[104] + x[105] + x[106] + x[107] + x[108] + x[109] + x[110] + x[111] + x[112] + x[113] + x[114] + x[115] + x[116] + x[117] + x[118] + x[119] + x[120] + x[121] + x[122] + x[123] + x[124] + x[125] + x[126] + x[127] + x[128] + x[129] + x[130] + x[131] + x[132] + x[133] + x[134] + x[135] + x[136] + x[137] + x[138] + x[139] + x[140] + x[141] + x[142] + x[143] + x[144] + x[145] + x[146] + x[147] + x[148] + x[149] + x[150] + x[151] + x[152] + x[153] + x[154] + x[155] + x[156] + x[157] + x[158] + x[159] + x[160] + x[161] + x[162] + x[163] + x[164] + x[165] + x[166] + x[167] + x[168] + x[169] + x[170] + x[171] + x[172] + x[173] + x[174] + x[175] + x[176] + x[177] + x[178] + x[179] + x[180] + x[181] + x[182] + x[183] + x[184] + x[185] + x[186] + x[187] + x[188] + x[189] + x[190] + x[191] + x[192] + x[193] + x[194] + x[195] + x[196] + x[197] + x[198] + x[199]
}

struct Honest;

impl Strategy for Honest {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        let _ = (lookup(1, 2), ladder(3), sum(&WEIGHTS[0]));
        Honest
    }
}

assay_sdk::export!(Honest);
