/**
 * Which code points FTS5's `unicode61` takes for part of a word, and what it folds them to.
 * SQLite's table is of one old Unicode version and never changes with the runtime's, so `\p{L}` is no mirror of it:
 * these runs were read off a real FTS5 table, and tokens.test.ts compares them with one again.
 */

/** Code points of the range a word may hold: 1 in `tokenClass`. Marks that vanish inside a word are 2, all else is 0. */
const wordRuns =
  '1c a 7 q 6 q 1b 1 7 2 1 1 3 2 1 3 1 n 1 v 1 cq 4 c e 5 7 1 1 1 3l 5 1 8 1 5 2 1 1 32 1 3v 8 5s 6 15 ' +
  '2 4 1 1 1j 17 2 b 5 1 m 2 2 17 l a 4 2 1 2r 1 1 f 2 7 f 2 1 e 1 1 1 1 u r 2j b 1m 9 2 4 s 4 1 9 1 3 ' +
  '1 5 2 f q 3 2 1 3p r 1 4 1i 3 1 i 1 7 a 4 a 1 g 3 1k 1 1 7 2 2 2 3 9 1 a 2 e 2 6 2 5 3 1k 1 1 5 4 2 ' +
  '2 3 3 1 u 2 3 1 b 3 1k 1 1 8 1 3 1 3 k 2 c 2 f 3 1k 1 1 7 2 2 2 3 8 2 a 2 c 1 h 1 1n 5 3 3 1 4 9 1 r ' +
  '8 6 3 1m 7 1 3 1 4 7 2 b 2 r 1 2 2 1k 1 1 7 1 3 1 4 7 2 b 2 u 2 1m 7 1 3 1 4 9 1 a 2 l 1 8 2 1y 1 4 ' +
  '6 1 1 1 8 i 3 1o 1 2 7 4 1 7 9 a 2 2d 1 2 6 1 2 b 6 1f v k c 1d n 5 b 1 10 1 f 1 d 28 k b 6 6 4 4 3 ' +
  '1 3 2 7 3 4 d c 1 1 a 6 2j 1 gx c 13 a 2u 1 h8 2 h 1 q 2 26 3 10 3 t 5 r 2 u 2 1s z 1 4 1 1 y f 4a 1 ' +
  '3a c 4 c 4 1 3 2 2y h 7 2 k y n 5 2 2 1h a 1 t 2 1 w 7 1 6 2a 5 1b h l z 3 3 u d 1k e 8 4 10 k 3 5 ' +
  '1q 2 1s 8 8 p 4 1 4 3 5n 13 l 4 cd 1 1 3 b 3 d 3 d 3 d 2 1 2t 5 6 a 5 b 5 h q m x f 2 1 4 1 2 a 1 1 ' +
  '3 5 6 1 1 1 1 1 1 4 1 b 2 4 5 5 4 1 1 1s h0 c 13 p b 29 26 m e8 1 39 u qh 3 a az 6 4 3 7 4 1 2 34 1 ' +
  'e 1 2o 27 1 c 1w q 1 2h c 5y q c 4 5 3 p 9 7 5 2 5 3 2h 4 3 1 2i 1 44 2 4 a w 10 s v b u 8 1 f w a ' +
  '13 f 1r 1 74 534 1s h3k 1j 1j 2 7h 3 2n g w 1 28 8 8 n 9 2 2v 2 3b 1 3 1 4 1 n 9 a 4 1m 4 8 2 1e h 9 ' +
  '2 g i 6 3 17 a n d b 1 w 4 1b r g 2 21 e c 1 8 2 e 4 n 3 1 1 1g 1 1 3 2 2 5 2 1 1 s 2 b 7 3 2 6k b ' +
  '8pe 1kw 5cu 1 a 1 3s g ak 2 58 2 2 q 6 7 9 z 1 j 1 4 43 1 1 f a 7 q 6 q b 3e 7 1 7 a 7 74 3 1g 9 1l ' +
  'h 6 c 1g 1a bl 1 1c 1 w6 1 5j 1 v 1 5d 3 1 2 5 4 14 3 4 1 g 9 12 1 55 7 xs 3 1h m 1e 3 19 i 1q 3 10 ' +
  'e b 4 1o 3 1c e 4 4 yq d 2pk 4 esd 1a g 4 j1p 6u a 13 2 51 y 1y 56 2f oa 1 p 1 v 1 p 1 v 1 p 1 v 1 p ' +
  '1 v 1 p 1 4ks 2 7i 18 4 2s c f 2 e 2 f 1 f 1c v 1 1o 4 17 23 t d 17 5 9 7 2 4u x f 6 1 1y 3 k c 11 1 ' +
  '5 l h f 1r 1 1 1 52 1 4 3 1q 2 4 c o 43 1y 4 b 1c 1y 1m 38 gwi5 1 u 2o 3k 6o 47bk'

/** Runs of code points that fold to another one: gap to the run, count (negative: every second one), distance. */
const foldRuns =
  '1t q w 38 1 lj b 1 -2n 1 1 -2o 1 1 -2p 1 1 -2q 1 1 -2r 1 -3 -2s 1 1 w 2 1 -2r 2 1 -2t 1 1 -2u 1 1 ' +
  '-2r 1 1 -2s 1 1 -2t 1 1 -2u 1 1 w 1 2 -2r 2 1 -2s 1 1 -2t 1 1 -2u 1 1 -2v 2 1 w 1 1 -2s 1 1 -2t 1 1 ' +
  '-2u 1 1 -2v 1 1 -2s 1 1 w 2 1 -3j 1 1 -3k 1 1 -3l 1 1 -3m 1 1 -3n 1 -3 -3o 3 1 -3n 2 1 -3p 1 1 -3q 1 ' +
  '1 -3n 1 1 -3o 1 1 -3p 1 1 -3q 2 2 -3n 2 1 -3o 1 1 -3p 1 1 -3q 1 1 -3r 3 1 -3o 1 1 -3p 1 1 -3q 1 1 ' +
  '-3r 1 1 -3o 2 1 -3q 1 1 -4f 1 1 -4g 1 1 -4h 1 1 -4i 1 -2 -4j 1 -2 -4k 3 1 -4l 1 1 -4m 1 1 -4n 1 1 ' +
  '-4o 1 1 -4p 1 2 -4q 2 1 -4r 1 1 1 2 1 -4t 1 1 -4u 1 1 -4v 1 1 -4w 1 1 -4x 1 1 -4y 1 1 -4z 1 1 -50 1 ' +
  '-2 -51 1 -2 -52 3 1 -53 1 1 -54 1 1 -55 1 1 -56 1 1 -57 1 2 -58 2 1 -59 1 1 1 2 1 -5b 1 1 -5c 1 1 ' +
  '-5d 1 1 -5e 1 1 -5f 1 1 -5g 1 1 -5h 1 1 -5i 1 1 -5j 2 1 1 2 1 -5m 1 2 -5n 2 1 -5o 2 1 -5p 1 1 -5q 1 ' +
  '1 -5r 1 1 -5s 1 1 -5t 1 1 -5u 1 -2 1 4 1 -5x 1 1 -5y 1 1 -5z 1 1 -60 1 1 -61 1 1 -62 2 1 1 2 1 -65 1 ' +
  '1 -66 1 1 -67 1 1 -68 1 1 -69 1 1 -6a 1 1 1 2 1 -6a 1 1 -6b 1 1 -6c 1 1 -6d 1 1 -6e 1 2 -6f 2 1 -6g ' +
  '1 1 -6h 1 1 -6i 1 1 -6j 1 1 -6k 1 1 -6l 1 2 -6m 2 1 -6n 1 1 -6o 1 1 -6p 1 1 1 2 1 -6r 1 1 -6s 1 1 ' +
  '-6t 1 1 -6u 1 1 -6v 1 1 -6w 1 1 -6x 1 1 -6y 1 1 -6z 1 1 -70 1 -3 -71 1 -3 -72 5 2 -73 2 1 -74 1 1 ' +
  '-75 1 1 -76 1 1 -77 1 1 -78 1 1 -7g 2 1 5u 1 -2 1 4 1 5q 1 1 1 2 2 5p 2 1 1 3 1 27 1 1 5m 1 1 5n 1 1 ' +
  '1 2 1 5p 1 1 5r 2 1 5v 1 1 5t 1 1 1 4 1 5v 1 1 5x 2 1 5y 1 1 -8h 1 1 -8i 1 -2 1 4 1 62 1 1 1 2 1 62 ' +
  '3 1 1 2 1 62 1 1 -8q 1 1 -8r 1 2 61 2 -2 1 4 1 63 1 1 1 4 1 1 8 1 2 1 1 1 2 1 2 1 1 1 2 1 2 1 1 1 2 ' +
  '1 -a4 1 1 -a5 1 1 -9y 1 1 -9z 1 1 -9u 1 1 -9v 1 1 -9q 1 1 -9r 1 1 -9s 1 1 -9t 1 1 -9u 1 1 -9v 1 1 ' +
  '-9w 1 1 -9x 1 1 -9y 1 1 -9z 2 1 -al 1 1 -am 1 -3 1 6 1 -an 1 1 -ao 1 1 -al 1 1 -am 1 1 -aj 1 1 -ak 1 ' +
  '1 -al 1 1 -am 1 1 1 2 1 -au 1 1 2 1 1 1 2 1 -b1 1 1 -b2 1 1 -2p 1 1 -1k 1 1 -ay 1 1 -az 1 1 -bd 1 1 ' +
  '-be 1 -2 1 4 1 -bj 1 1 -bk 1 1 -bl 1 1 -bm 1 1 -bj 1 1 -bk 1 1 -bl 1 1 -bm 1 1 -bj 1 1 -bk 1 1 -bl 1 ' +
  '1 -bm 1 1 -bh 1 1 -bi 1 1 -bj 1 1 -bk 1 1 -bi 1 1 -bj 1 1 -bk 1 1 -bl 1 1 -bj 1 1 -bk 1 1 -bl 1 1 ' +
  '-bm 1 1 -bp 1 2 -bq 2 1 -br 1 1 1 2 1 -c6 1 1 -c7 1 1 -3m 2 -2 1 4 1 -cl 1 1 -cm 1 1 -cj 1 1 -ck 1 1 ' +
  '-cb 1 1 -cc 1 1 -cd 1 1 -ce 1 1 -cf 1 1 -cg 1 1 -ch 1 1 -ci 1 1 -c9 1 1 -ca 7 1 8bv 1 1 1 2 1 -4j 1 ' +
  '1 8bs 3 1 1 2 1 -5f 1 1 1x 1 1 1z 1 -5 1 8a -2 1 6 1 1 g 1 12 2 3 11 4 1 1s 2 2 1r 3 h w i 9 w v 1 1 ' +
  'd 1 8 1 1 -u 1 1 -p 4 1 -f 1 1 -m 2 -c 1 o 1 -1i 1 1 -1c 3 1 -1o 1 1 -1s 2 1 1 2 1 -7 1 1 1 3 3 -3m ' +
  '3 g 28 g w w 28 -h 1 16 -r 1 1i 1 f 1 -7 1 f -18 1 2p 12 1c 29b 12 5ls 13 1 5ls 6 1 5ls 2lv 1 -5un 1 ' +
  '2 -5uo 2 1 -5up 1 1 -5uq 1 1 -5ur 1 1 -5us 1 2 -5ut 2 2 -5uu 2 1 -5uv 1 1 -5uw 1 1 -5ux 1 1 -5uy 1 1 ' +
  '-5uz 1 1 -5v0 1 1 -5v1 1 1 -5v2 1 2 -5v3 2 1 -5v4 1 1 -5v5 1 1 -5v6 1 1 -5v7 1 1 -5v8 1 1 -5v9 1 1 ' +
  '-5va 1 1 -5vb 1 2 -5vc 2 2 -5vd 2 2 -5ve 2 1 -5vf 1 1 -5vg 1 1 -5vh 1 1 -5vi 1 1 -5vj 1 1 -5vk 1 1 ' +
  '-5vl 1 1 -5vm 1 2 -5vn 2 1 -5vo 1 -2 -5vp 1 -2 -5vq 3 1 -5vr 1 1 -5vs 1 1 -5vt 1 2 -5vu 2 1 -5vv 1 1 ' +
  '-5vw 1 1 -5vx 1 1 -5vy 1 1 -5vz 1 1 -5w0 1 2 -5w1 2 1 -5w2 1 1 -5w3 1 1 -5w4 1 1 -5w5 1 2 -5w6 2 1 ' +
  '-5w7 1 1 -5w8 1 1 -5w9 1 1 -5wa 1 1 -5wb 1 1 -5wc 1 2 -5wd 2 1 -5we 1 1 -5wf 1 1 -5wg 1 1 -5wh 1 1 ' +
  '-5wi 1 1 -5wj 1 2 -5wk 2 1 -5wl 1 -2 -5wm 1 -2 -5wn 3 1 -5wo 1 1 -5wp 1 1 -5wq 1 1 -5wr 1 1 -5ws 1 2 ' +
  '-5wt 2 1 -5wu 1 1 -5wv 1 1 -5ww 1 1 -5wx 1 1 -5wy 1 1 -5wz 1 1 -5x0 1 1 -5x1 1 2 -5x2 2 1 -5x3 1 1 ' +
  '-5x4 1 1 -5x5 1 1 -5x6 1 1 -5x7 1 1 -5x8 1 2 -5x9 2 1 -5xa 1 1 -5xb 1 1 -5xc 1 1 -5xd 1 1 -5xe 1 1 ' +
  '-5xf 1 1 -5xg 1 1 -5xh 1 2 -5xi 2 1 -5xj 1 1 -5xk 1 2 -5xl 2 1 -5xm 1 1 -5xn 1 1 -5xo 1 1 -5xp 1 1 ' +
  '-5xq 1 1 -5xr 1 1 -5xs 1 1 -5xt 1 2 -5xu 2 1 -5xv 1 1 -5xw 1 2 -5xx 2 2 -5xy 2 1 -5xz 1 1 -5y0 1 1 ' +
  '-5y1 1 1 -5y2 1 1 -5y3 1 1 -5ym 1 1 -5yb 1 1 -5y9 1 1 -5y8 2 1 -5yg 3 1 -5vj 2 1 -5z3 1 1 -5z4 1 1 ' +
  '-5z5 1 1 -5z6 1 1 -5z7 1 1 -5z8 1 1 -5z9 1 1 -5za 1 1 -5zb 1 1 -5zc 1 1 -5zd 1 1 -5ze 1 1 -5zf 1 1 ' +
  '-5zg 1 1 -5zh 1 1 -5zi 1 1 -5zj 1 1 -5zk 1 1 -5zl 1 1 -5zm 1 1 -5zn 1 1 -5zo 1 1 -5zp 1 1 -5zq 1 1 ' +
  '-5zn 1 1 -5zo 1 1 -5zp 1 1 -5zq 1 1 -5zr 1 1 -5zs 1 1 -5zt 1 1 -5zu 1 1 -5zv 1 1 -5zw 1 1 -5zx 1 1 ' +
  '-5zy 1 1 -5zz 1 1 -600 1 1 -601 1 1 -602 1 1 -5zz 1 1 -600 1 1 -601 1 1 -602 1 1 -5zx 1 1 -5zy 1 1 ' +
  '-5zz 1 1 -600 1 1 -601 1 1 -602 1 1 -603 1 1 -604 1 1 -605 1 1 -606 1 1 -607 1 1 -608 1 1 -609 1 1 ' +
  '-60a 1 1 -60b 1 1 -60c 1 1 -60d 1 1 -60e 1 1 -60f 1 1 -60g 1 1 -60h 1 1 -60i 1 1 -60j 1 1 -60k 1 1 ' +
  '-60f 1 1 -60g 1 1 -60h 1 1 -60i 1 1 -60j 1 1 -60k 1 1 -60l 1 1 -60m 1 1 -60n 1 1 -60o 1 1 -60p 1 1 ' +
  '-60q 1 1 -60r 1 1 -60s 1 1 -60p 1 1 -60q 1 1 -60r 1 1 -60s 1 1 -60t 1 1 -60u 1 1 -60v 1 1 -60w 1 -3 ' +
  '1 e 8 -8 g 6 -8 g 8 -8 g 8 -8 g 6 -8 h -4 -8 f 8 -8 w 8 -8 g 8 -8 g 8 -8 g 2 -8 2 2 -22 2 1 -9 2 1 ' +
  '-5j9 a 4 -2e 4 1 -9 c 2 -8 2 2 -2s e 2 -8 2 2 -34 2 1 -7 c 2 -3k 2 2 -3i 2 1 -9 8a 1 -5st 4 1 -6gv 1 ' +
  '1 -6h6 7 1 s 1a g g z 1 1 22l 1b 1c 2o 1 1 2 1 -8af 1 1 -2xy 1 1 -89z 3 -3 1 6 1 -8bg 1 1 -8al 1 1 ' +
  '-8bj 1 1 -8bi 2 1 1 3 1 1 9 2 -8cf 2 -1e 1 2z -2 1 7 1 1 nym -n 1 1s -c 1 4i -7 1 g -v 1 1z -2 1 4 1 ' +
  '-r9g 1 -5 1 d 1 1 2 1 -wmg 3 -2 1 g -5 1 a 1 -wn8 h9z q w yn 14 14'

/** First and last code point of each run of combining marks that FTS5 drops inside a word. */
const droppedMarks = [
  [0x300, 0x304],
  [0x306, 0x30c],
  [0x30f, 0x30f],
  [0x311, 0x311],
  [0x31b, 0x31b],
  [0x323, 0x328],
  [0x32d, 0x32e],
  [0x330, 0x331],
] as const

const separator = 0
const wordPart = 1
const droppedMark = 2
export type TokenClass = typeof separator | typeof wordPart | typeof droppedMark
export const tokenClasses = { separator, wordPart, droppedMark } as const

const classes = readWordRuns()
const folds = readFoldRuns()

/** What a code point is to `unicode61 remove_diacritics 2`. */
export function tokenClass(codePoint: number): TokenClass {
  return (classes[codePoint] ?? separator) as TokenClass
}

/** The code point that `unicode61 remove_diacritics 2` indexes in place of this one. */
export function foldCodePoint(codePoint: number): number {
  return folds.get(codePoint) ?? codePoint
}

function readWordRuns(): Uint8Array {
  const table = new Uint8Array(0x110000)
  let at = 0
  const numbers = wordRuns.split(' ').map((text) => Number.parseInt(text, 36))
  for (let i = 0; i < numbers.length; i += 2) {
    const start = at + (numbers[i] ?? 0)
    at = start + (numbers[i + 1] ?? 0)
    table.fill(wordPart, start, at)
  }
  for (const [first, last] of droppedMarks) table.fill(droppedMark, first, last + 1)
  return table
}

function readFoldRuns(): ReadonlyMap<number, number> {
  const map = new Map<number, number>()
  let start = 0
  const numbers = foldRuns.split(' ').map((text) => Number.parseInt(text, 36))
  for (let i = 0; i < numbers.length; i += 3) {
    start += numbers[i] ?? 0
    const count = numbers[i + 1] ?? 0
    const stride = count < 0 ? 2 : 1
    for (let n = 0; n < Math.abs(count); n++) {
      const codePoint = start + n * stride
      map.set(codePoint, codePoint + (numbers[i + 2] ?? 0))
    }
  }
  return map
}
