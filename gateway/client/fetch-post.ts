/** One call as a `fetch`, which Node and browsers both have. */
import type { Post } from './http-carrier.ts'

export function fetchPost(url: string, token: string | undefined): Post {
  return async (body, signal) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body,
      signal,
      // A gateway redirects nobody, and knows no cookies.
      redirect: 'error',
      credentials: 'omit',
    })
    return { status: response.status, text: await response.text() }
  }
}
