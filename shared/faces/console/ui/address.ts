/** Filters stored in the address, so that a page can be shared and the back button works. */
import { useLocation } from 'preact-iso/router'

/** The address's query, and a function that changes part of it: an empty text removes a name. */
export const useAddress = () => {
  const { path, query, route } = useLocation()
  const change = (changes: Record<string, string | undefined>, replace = true) => {
    // The next page is on its way, and this one stays until then: it must not lead back to itself.
    if (![path, `${path}/`].includes(location.pathname)) return
    // The address as it is now: a text that is written once typing pauses must not undo what was chosen meanwhile.
    const search = new URLSearchParams(location.search)
    for (const [name, value = ''] of Object.entries(changes))
      if (value === '') search.delete(name)
      else search.set(name, value)
    route(search.size > 0 ? `${path}?${search}` : path, replace)
  }
  return { query: query as Record<string, string | undefined>, change }
}
