/** Our connect pages, and the way back from them. */
import { post } from '../../api/client.ts'

export type Wanted = { integration?: string; type?: string; name?: string; profile?: string; connection?: string }

/** Leaves the console for the connect page. It ends at `returnTo`, with the id of the connection when there is one. */
export const goConnect = async (request: Wanted, returnTo: string) => {
  const { url } = await post<{ url: string }>('connections/authorize', {
    ...request,
    returnTo: `${returnTo}?from=connect`,
  })
  location.assign(url)
  // Busy until the browser has left.
  await new Promise(() => {})
}
