import type { DeliveredBody, Json } from '#kit'

/** An example holds the body alone, or body and headers where the provider says something there. */
export const deliveredBody = (delivery: Json | undefined): DeliveredBody => {
  const model = { kind: 'unknown', id: '' }
  if (typeof delivery !== 'object' || delivery === null || !('headers' in delivery))
    return { body: delivery, headers: {}, model }
  return {
    body: (delivery as { [name: string]: Json })['body'],
    headers: delivery['headers'] as { [name: string]: string },
    model,
  }
}
