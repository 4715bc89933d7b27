/** English words too common to look for by themselves. They count inside a phrase, and when a query has nothing else. */

const stopWords: ReadonlySet<string> = new Set(
  (
    'a about after all also am an and any are as at be because been before being both but by can could did do does ' +
    'doing done each either every few for from get got had has have having he her here hers him his how i if in into ' +
    'is it its just like made make many may me might more most much must my no nor not of off on once only or other ' +
    'our out over own please she should so some such than that the their them then there these they this those ' +
    'through to too under until up us very was we were what when where which while who whom why will with would ' +
    'you your'
  ).split(' '),
)

const contraction =
  /^(?:[a-z]+n['’]t|(?:i|you|he|she|it|we|they|that|there|what|where|who|how|let)['’](?:d|ll|m|re|s|ve))$/

/** @param word as the user wrote it, punctuation around it included. */
export function isStopWord(word: string): boolean {
  const bare = word.toLowerCase().replace(/^[^a-z]+|[^a-z]+$/g, '')
  return stopWords.has(bare) || contraction.test(bare)
}
