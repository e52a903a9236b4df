import type { ApiOperation } from '../../shared/kit/index.ts'
import { listOf, nodeOf, pickOperations, readDocument, textOf } from './document.ts'
import type { ApiDocument, Operation } from './document.ts'
import { literal, oneLine, typeOf } from './schema.ts'
import { contentSchema, writeStep } from './step-source.ts'
import type { WrittenStep } from './step-source.ts'

/** Files by their path in the integration's folder, and what the author has to edit. */
export type Written = { files: { [path: string]: string }; edit: string[] }

type Auth = { placement: string; secrets: string; title: string; isGuess: boolean }

const token = `z.strictObject({ token: secretText('Token', 'The token, as the settings page shows it.') })`

/** How the document says that requests are authenticated; a bearer token where it says something else. */
const authOf = (document: ApiDocument): Auth => {
  const schemes = Object.values(nodeOf(nodeOf(document.root['components'])['securitySchemes'])).map(document.resolve)
  const place = (where: string, fields: string) => `{ place: ${literal(where)}, fields: { ${fields} } }`
  for (const scheme of schemes) {
    const where = textOf(scheme['in'])
    if (scheme.type === 'apiKey' && (where === 'header' || where === 'query'))
      return {
        placement: place(where, `${literal(textOf(scheme['name']))}: '{token}'`),
        secrets: token,
        title: 'API key',
        isGuess: false,
      }
    if (scheme.type === 'http' && textOf(scheme['scheme']).toLowerCase() === 'basic')
      return {
        placement: `{ place: 'basic', user: '{user}', password: '{password}' }`,
        secrets: `z.strictObject({ user: secretText('User', 'The user name of the account.'), password: secretText('Password', 'The password of the account.') })`,
        title: 'User and password',
        isGuess: false,
      }
  }
  const isBearer = schemes.some((scheme) => textOf(scheme['scheme']).toLowerCase() === 'bearer')
  return {
    placement: place('header', `Authorization: 'Bearer {token}'`),
    secrets: token,
    title: 'Access token',
    isGuess: !isBearer,
  }
}

/** Origin and base path of the first server. @throws Error when the document names none */
const serverOf = (document: ApiDocument, id: string): { origin: string; base: string } => {
  const address = textOf(nodeOf(listOf(document.root['servers'])[0])['url'])
  if (!URL.canParse(address) || address.includes('{'))
    return { origin: `https://api.${id}.example`, base: address.startsWith('/') ? address.replace(/\/$/, '') : '' }
  const { origin, pathname } = new URL(address)
  return { origin: origin.replace(/^http:/, 'https:'), base: pathname.replace(/\/$/, '') }
}

const parameterType = (type: string) =>
  (['string', 'number', 'integer', 'boolean', 'object'].includes(type)
    ? type
    : 'any') as ApiOperation['parameters'][number]['type']

const parametersOf = (document: ApiDocument, { node, parameters, method }: Operation): ApiOperation['parameters'] => {
  const written = (name: string, place: 'path' | 'query' | 'body', value: unknown, isRequired: boolean) => {
    const schema = document.resolve(value)
    const isList = typeOf(schema) === 'array'
    return {
      name,
      in: place,
      type: parameterType(typeOf(isList ? document.resolve(schema['items']) : schema)),
      ...(isList ? { list: true as const } : {}),
      ...(isRequired ? { required: true as const } : {}),
    }
  }
  const body = contentSchema(document, node['requestBody'])
  return [
    ...parameters.flatMap((parameter) => {
      const place = parameter['in']
      if (place !== 'path' && place !== 'query') return []
      return [
        written(
          textOf(parameter['name']),
          place,
          parameter['schema'],
          place === 'path' || parameter['required'] === true,
        ),
      ]
    }),
    ...(method === 'GET' ? [] : Object.entries(body.properties ?? {})).map(([name, schema]) =>
      written(name, 'body', schema, listOf(body['required']).includes(name)),
    ),
  ]
}

/** Every endpoint of the document, as API Call shows, finds and checks it. */
const operationsSource = (document: ApiDocument, base: string): string => {
  const all = document.operations.map((operation) => ({
    method: operation.method,
    path: base + operation.path,
    title: oneLine(textOf(operation.node['summary']) || operation.id, 100),
    parameters: parametersOf(document, operation),
  }))
  return `import type { ApiOperation } from '#kit'\n\n/** What API Call knows of the provider, from its OpenAPI document. */\nexport const operations: ApiOperation[] = [\n${all.map((operation) => `  ${JSON.stringify(operation)},\n`).join('')}]\n`
}

const manifestSource = (
  id: string,
  title: string,
  steps: WrittenStep[],
  auth: Auth,
) => `import { defineIntegration, secretText, z } from '#kit'
${steps.map(({ id: step, names }) => `import ${names.step} from './steps/${step}.ts'\n`).join('')}import { wire } from './wire.ts'
import { words } from './words.ts'

export default defineIntegration({
  id: ${literal(id)},
  title: ${literal(title)},
  summary: ${literal(`Reads and changes what is in an account of ${title}.`)},
  version: '0.1.0',
  maturity: 'beta',
  connections: [
    {
      id: 'account',
      title: ${literal(auth.title)},
      purpose: 'From the account settings of the provider.',${auth.placement.includes("'basic'") ? "\n      scheme: 'basic'," : ''}
      secrets: ${auth.secrets},
    },
  ],
  steps: [${steps.map(({ names }) => names.step).join(', ')}],
  apiCall: { methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], under: '/', deny: [] },
  operations: async () => (await import('./operations.ts')).operations,
  words,
  wire,
})
`

const wireSource = (id: string, origin: string, auth: Auth) => `import type { WireProfile } from '#kit'

export const wire: WireProfile = {
  profile: ${literal(`${id} v1`)},
  baseUrl: ${literal(origin)},
  auth: { account: ${auth.placement} },
  reserved: [],
  pace: { limits: [{ per: 'connection', max: 60, windowMs: 60_000 }], concurrency: 4 },
  timeouts: { connectMs: 5_000, headersMs: 15_000, bodyMs: 10_000, totalMs: 30_000, deadlineMs: 60_000 },
  maxReplyBytes: 1_000_000,
  errors: [],
  assumed: {
    'pace.limits': 'An OpenAPI document says nothing of limits: replace it with those that the provider documents.',
    timeouts: 'An example: the provider documents none.',
  },
}
`

const wordsSource = (steps: WrittenStep[]) => `import { say } from '#kit'
import type { Sentence, Words } from '#kit'

const runs: Record<string, () => Sentence> = {
  'api-call': () => say\`Called an endpoint of the provider\`,
  'find-endpoints': () => say\`Looked for endpoints of the provider\`,
${steps.map(({ id, title }) => `  ${literal(id)}: () => say\`Did “${title}” at the provider\`,\n`).join('')}}

/** What runs have done, as people read it: one sentence, without a full stop. */
export const words: Words = {
  describe: () => undefined,
  describeRun: (step) => (Object.hasOwn(runs, step) ? runs[step]!() : undefined),
}
`

const apiCallExample = (base: string) => {
  const path = `${base}/example`
  const body = { id: '1' }
  return {
    step: 'api-call',
    cases: [
      {
        title: 'Calls an endpoint',
        input: { method: 'GET', path },
        exchanges: [{ request: { method: 'GET', path }, reply: { status: 200, body } }],
        output: { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body },
      },
    ],
  }
}

const requireUnlike = (steps: WrittenStep[]): void => {
  const twice = steps.find(({ id }, index) => steps.findIndex((step) => step.id === id) !== index)
  if (twice)
    throw new Error(
      `--operations names two operations that are both called "${twice.title}". Give one of them another summary in the document.`,
    )
}

/**
 * The files of an integration with a step for each of some operations of an OpenAPI document.
 * @throws Error that names the flag and the remedy
 */
export const fromOpenApi = (file: string, ids: string[], id: string, title: string): Written => {
  const document = readDocument(file)
  const { origin, base } = serverOf(document, id)
  const steps = pickOperations(document, ids).map((operation) => writeStep(document, operation, base))
  requireUnlike(steps)
  const auth = authOf(document)
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  return {
    files: {
      'manifest.ts': manifestSource(id, title, steps, auth),
      'wire.ts': wireSource(id, origin, auth),
      'words.ts': wordsSource(steps),
      'operations.ts': operationsSource(document, base),
      'records.ts': `import { z } from '#kit'\n\n${steps.map(({ record }) => record).join('\n')}`,
      'examples/api-call.json': json(apiCallExample(base)),
      ...Object.fromEntries(
        steps.flatMap((step) => [
          [`steps/${step.id}.ts`, step.step],
          [`examples/${step.id}.json`, json(step.example)],
        ]),
      ),
    },
    edit: [
      'wire.ts: the limits, and `test` of the connection in manifest.ts, which an OpenAPI document does not say',
      ...(auth.isGuess ? ['wire.ts: auth, which is a bearer token where the document says something else'] : []),
      ...steps.map(
        (step) =>
          `steps/${step.id}.ts: title, purpose and effect${step.left.length > 0 ? `; left out: ${step.left.join(', ')}` : ''}`,
      ),
      ...steps
        .filter(({ isReadAssumed }) => isReadAssumed)
        .map(
          ({ id: step }) =>
            `steps/${step}.ts: a POST that seems to read. Name the page that says so in effectSource, or set the effect to 'create'. Until then the request is refused`,
        ),
      'words.ts: a sentence for each step',
      'examples: made-up values; "toolyard record" writes real ones',
    ],
  }
}
