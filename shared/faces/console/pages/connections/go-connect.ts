/** Sends the browser to our connect pages, and back. */
import { post } from '../../api/index.ts'

export type ConnectPageRequest = {
  integration?: string
  type?: string
  name?: string | undefined
  person?: string | undefined
  connection?: string
}

/** Leaves the console for the connect page, which returns to `returnTo` with the connection's id, if one was made. */
export const goConnect = async (request: ConnectPageRequest, returnTo: string) => {
  const { url } = await post<{ url: string }>('connections/authorize', {
    ...request,
    returnTo: `${returnTo}?from=connect`,
  })
  location.assign(url)
  // Never resolves, so that the button stays busy until the browser has left the page.
  await new Promise(() => {})
}
