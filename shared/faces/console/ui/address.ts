/** Filters stored in the address, so that a page can be shared and the back button works. */
import { useLocation } from 'preact-iso/router'

/** The address's query, and a function that changes part of it: an empty text removes a name. */
export const useAddress = () => {
  const { path, query, route } = useLocation()
  const change = (changes: Record<string, string | undefined>, replace = true) => {
    const search = new URLSearchParams(
      Object.entries({ ...query, ...changes }).filter(
        (pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '',
      ),
    )
    route(search.size > 0 ? `${path}?${search}` : path, replace)
  }
  return { query: query as Record<string, string | undefined>, change }
}
