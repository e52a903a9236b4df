/** Some servers turn `X-Api-Key`, `x_api_key`, ` x api key` and `x-api-key[0]` into the same variable. */
export const normalName = (name: string) =>
  (name.normalize('NFKC').trim().toLowerCase().split('[')[0] ?? '').replace(/[\s.-]/g, '_')
