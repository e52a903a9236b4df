import type { Icon } from '@modelcontextprotocol/server'
import { readIcon } from '../../pack-server.ts'

/** Instead of the text colour, which an image has not: at least 3:1 on white and on the dark grounds of editors. */
const colour = '#0d9488'

/**
 * Icons are in the list itself. An address would need a route that anybody may read from any page, differs from server
 * to server, and does not exist over standard input and output.
 */
const asData = (svg: string, theme?: Icon['theme']): Icon => {
  const short = svg
    .replace(/<title>.*?<\/title>/s, '')
    .replace(' role="img"', '')
    .replaceAll('currentColor', colour)
    .replaceAll(/>\s+</g, '><')
    .trim()
  return {
    src: `data:image/svg+xml;base64,${Buffer.from(short).toString('base64')}`,
    mimeType: 'image/svg+xml',
    sizes: ['any'],
    ...(theme ? { theme } : {}),
  }
}

export type Icons = {
  /** Of a tool or prompt, by the name of a file in `manifests/icons/steps`. */
  named(icon: string | undefined): { icons?: Icon[] }
  /** Of the server of one integration, or of all. */
  ofServer(integration: string | undefined): Icon[]
}

/** Each icon is read when it is first listed. */
export const createIcons = (): Icons => {
  const read = new Map<string, Icon[]>()
  const load = (key: string, make: () => Icon[]) => {
    const icons = read.get(key) ?? make()
    read.set(key, icons)
    return icons
  }
  const file = (path: string, theme?: Icon['theme']) => {
    const svg = readIcon(`icons/${path}.svg`)
    return svg === undefined ? [] : [asData(svg, theme)]
  }
  const pair = (name: string) => load(name, () => [...file(name, 'light'), ...file(`${name}-dark`, 'dark')])
  return {
    named(icon) {
      const icons = icon === undefined ? [] : load(`steps/${icon}`, () => file(`steps/${icon}`))
      return icons.length > 0 ? { icons } : {}
    },
    ofServer(integration) {
      const own = integration === undefined ? [] : pair(integration)
      return own.length > 0 ? own : pair('toolyard')
    },
  }
}
