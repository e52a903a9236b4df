/** `manifests/api.ts`: TypeScript types of the named schemas of the OpenAPI document, which the console reads. */
import { createHttp } from '../shared/faces/http/index.ts'
import { createPack } from '../shared/pack.ts'
import type { JsonSchema } from '../shared/kit/index.ts'
import { renderType } from './step-types.ts'

type Document = { components: { schemas: Record<string, JsonSchema> } }

const openApi = async (): Promise<Document> => {
  const pack = await createPack({})
  try {
    const http = await createHttp({ pack, version: '0.0.0', mcp: false })
    const { body } = await http.inject({ url: '/openapi.json', headers: { authorization: `Bearer ${await pack.tokens.makeFirst()}` } })
    await http.close()
    return JSON.parse(body) as Document
  } finally {
    await pack.close()
  }
}

/** The text of `manifests/api.ts`. */
export const apiTypes = async (): Promise<string> => {
  const { schemas } = (await openApi()).components
  const types = Object.entries(schemas)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, schema]) => `export type ${name} = ${renderType(schema, 'answered', name)}\n`)
  return ['// Built by `npm run manifests`: the named schemas of the OpenAPI document.\n', ...types].join('\n')
}
