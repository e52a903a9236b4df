/**
 * OpenAPI documents for importers that turn each operation into a tool. A server's `/openapi/{integration}.json` is
 * made by the same function.
 */
import { agentDocument } from '../../shared/runtime/catalogue/agent-document.ts'
import type { Generator } from './generator.ts'

/**
 * The default address of `toolyard serve`; whoever imports the document replaces it with the address of their server.
 */
const server = 'http://127.0.0.1:8750'

type Whole = Parameters<typeof agentDocument>[0]

export const openapiDocuments: Generator = ({ manifests }) =>
  Object.fromEntries(
    (manifests as unknown as Whole[]).flatMap((manifest) =>
      manifest.toolSets.map(({ id }) => [
        `${manifest.id}.${id}.json`,
        `${JSON.stringify(agentDocument(manifest, { set: id, server }), null, 2)}\n`,
      ]),
    ),
  )
