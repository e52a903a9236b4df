import type { HttpWorld } from '../support/http-world.ts'

export type Route = {
  method: string
  path: string
  /** Names of its query. */ query: string[]
  /** Names of its body's fields; absent: it takes none. */ body?: string[]
  /** In the OpenAPI document. */ isDocumented: boolean
}

type Schema = { $ref?: string; properties?: Record<string, unknown> }
type Operation = {
  parameters?: { name: string; in: string }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}
export type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** Addresses of the printed tree, one branch a line. */
const addresses = (tree: string): string[] => {
  const above: string[] = []
  return tree.split('\n').flatMap((line) => {
    const match = /^([│ ]*)[├└]── (\S+)/.exec(line)
    if (!match) return []
    const depth = match[1]!.length / 4
    above.length = depth
    above.push((above.at(-1) ?? '') + match[2]!)
    return line.includes('(') ? [above.at(-1)!] : []
  })
}

/**
 * The routes of an OpenAPI document. Operations of single steps are left out: they are the same route with the step
 * written out.
 */
export const documentedRoutes = (document: Document): Route[] => {
  const fieldsOf = ({ $ref, properties = {} }: Schema): string[] =>
    $ref === undefined ? Object.keys(properties) : fieldsOf(document.components.schemas[$ref.split('/').at(-1)!]!)
  return Object.entries(document.paths)
    .filter(([path]) => !/^\/v1\/steps\/[a-z]/.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [], requestBody }]): Route => {
        const schema = requestBody?.content['application/json']?.schema
        return {
          method: method.toUpperCase(),
          path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
          query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
          ...(schema ? { body: fieldsOf(schema) } : {}),
          isDocumented: true,
        }
      }),
    )
}

/** Every route that the server answers on: its own table, with what the document says about each. */
export const routesOf = async (face: Pick<HttpWorld, 'http' | 'ask'>): Promise<Route[]> => {
  const documented = documentedRoutes((await face.ask('/openapi.json')).json as Document)
  const documentedPaths = new Set(documented.map(({ path }) => path))
  const otherPaths = addresses(face.http.printRoutes({ commonPrefix: false })).filter(
    (path) => !documentedPaths.has(path) && !/^\/v1\/steps\/[a-z]/.test(path),
  )
  return [...documented, ...otherPaths.map((path): Route => ({ method: 'ANY', path, query: [], isDocumented: false }))]
}
