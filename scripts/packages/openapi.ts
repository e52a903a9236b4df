/**
 * Documents for importers that make one tool of each operation. The same function answers `/openapi/{integration}.json`
 * of a server.
 */
import { agentDocument } from '../../shared/runtime/catalogue/agent-document.ts'
import type { Generator } from './generator.ts'

/** Where `toolyard serve` listens by itself; whoever imports the document puts the address of their server here. */
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
