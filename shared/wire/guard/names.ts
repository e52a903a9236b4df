/** `X-Api-Key`, `x_api_key`, ` x api key` and `x-api-key[0]` become the same variable at some servers. */
export const normalName = (name: string) =>
  (name.normalize('NFKC').trim().toLowerCase().split('[')[0] ?? '').replace(/[\s.-]/g, '_')
