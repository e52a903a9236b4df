import { listOf, nodeOf, textOf } from './document.ts'
import type { ApiDocument, Operation, Schema } from './document.ts'
import { assumedRead, effectOf, readVerbs } from './effect.ts'
import { camelCase, titleOf } from './names.ts'
import { pagingOf } from './paging.ts'
import type { Paging } from './paging.ts'
import { answerSchema, inputField, isAnyJson, literal, oneLine, outputFields, sample, typeOf } from './schema.ts'

type Field = { name: string; sent: string; place: 'path' | 'query' | 'body'; schema: unknown; isRequired: boolean }
/** `source`: the field of the schema of the input. */
type InputField = Field & { source: string }

/** What is written of one operation: the step, its record and its example. `left`: fields that were left out. */
export type WrittenStep = {
  id: string
  title: string
  names: { step: string; record: string }
  step: string
  record: string
  example: object
  left: string[]
  /** The operation is a POST that seems to read. */
  isReadAssumed: boolean
}

const maxOptional = 18
const purposeOf = ({ node }: Operation, title: string): string => {
  const [first = ''] = oneLine(textOf(node['description']) || textOf(node['summary']), 190).split(/(?<=\.)\s/)
  const sentence = first.replace(/[.…]*$/, '').replace(/^./, (letter) => letter.toUpperCase())
  return /^[A-Z].{15,}$/.test(sentence) ? `${sentence}.` : `Does "${title}" at the provider and returns its answer.`
}

export const contentSchema = (document: ApiDocument, holder: unknown): Schema => {
  const content = nodeOf(document.resolve(holder)['content'])
  const json = Object.keys(content).find((type) => /json/.test(type))
  return json === undefined ? {} : document.resolve(nodeOf(content[json])['schema'])
}

/** The answer of success, and its status. */
const answerOf = (document: ApiDocument, { node }: Operation): { status: number; schema: Schema } => {
  const responses = nodeOf(node['responses'])
  const status = Object.keys(responses).find((code) => /^2\d\d$/.test(code)) ?? '200'
  return { status: Number(status), schema: contentSchema(document, responses[status]) }
}

const fieldsOf = (
  document: ApiDocument,
  { node, parameters }: Operation,
  paged: string[],
): { fields: InputField[]; left: string[] } => {
  const body = contentSchema(document, node['requestBody'])
  const required = listOf(body['required'])
  const sentFields: Field[] = [
    ...parameters.flatMap((parameter): Field[] => {
      const place = parameter['in']
      const sent = textOf(parameter['name'])
      if ((place !== 'path' && place !== 'query') || paged.includes(sent)) return []
      const schema = { description: parameter.description, ...document.resolve(parameter['schema']) }
      return [
        { name: camelCase(sent), sent, place, schema, isRequired: place === 'path' || parameter['required'] === true },
      ]
    }),
    ...Object.entries(body.properties ?? {}).map(([sent, schema]): Field => ({
      name: camelCase(sent),
      sent,
      place: 'body',
      schema,
      isRequired: required.includes(sent),
    })),
  ]
  // A name without ASCII letters and digits is replaced by a number.
  const all = sentFields.map((field, index) => (field.name === '' ? { ...field, name: `field${index + 1}` } : field))
  const isSendable = ({ place, schema }: Field) =>
    place === 'body' || !['object', 'any'].includes(typeOf(document.resolve(schema)))
  const unique = all.filter(
    (field, index) => isSendable(field) && all.findIndex(({ name }) => name === field.name) === index,
  )
  const optional = unique.filter(({ isRequired }) => !isRequired).slice(0, maxOptional)
  const used = unique.filter((field) => field.isRequired || optional.includes(field))
  const written = used.map((field) => ({
    ...field,
    source: inputField(document, field.sent, field.schema, field.isRequired),
  }))
  return { fields: written, left: all.filter((field) => !used.includes(field)).map(({ sent }) => sent) }
}

const member = ({ sent, name, source }: InputField) =>
  `${/^\w+$/.test(sent) ? sent : literal(sent)}: input.${name}${isAnyJson(source) ? ' as Json' : ''}`

/** Text between the backticks of a template: nothing in a document becomes code. */
const templateText = (text: string) => text.replaceAll(/[\\`$]/g, '\\$&')

const pathSource = (path: string, fields: InputField[]) => {
  const parts = path.split(/\{([^}]+)\}/)
  const nameOf = (sent: string) => fields.find((field) => field.sent === sent)?.name ?? camelCase(sent)
  return `path\`${parts.map((part, at) => (at % 2 === 0 ? templateText(part) : `\${input.${nameOf(part)}}`)).join('')}\``
}

const requestSource = ({ method }: Operation, path: string, fields: InputField[], isReadAssumed: boolean) => {
  const of = (place: Field['place']) => fields.filter((field) => field.place === place)
  const part = (place: 'query' | 'body') =>
    of(place).length === 0 ? '' : `, ${place}: given({ ${of(place).map(member).join(', ')} })`
  return `{ method: '${method}', path: ${pathSource(path, fields)}${part('query')}${part('body')}${isReadAssumed ? `, ${assumedRead}` : ''} }`
}

const usualPage = 50
const pageFields = ({ max }: Paging) => [
  `limit: z.int().min(1).max(${max}).default(${Math.min(usualPage, max)}).meta({ title: 'Limit', description: 'Entries per page, 1 to ${max}.' })`,
  `cursor: z.string().optional().meta({ title: 'Cursor', description: 'The "next" of an earlier answer, to get the rest.' })`,
]

const runSource = (request: string, paging: Paging | undefined, isList: boolean) => {
  if (paging)
    return `async run(ctx, input) {
    const page = await readPage(ctx, ${request}, ${paging.rule}, { items: ${literal(paging.list)}, limit: input.limit, next: input.cursor })
    return { items: page.items, ...given({ next: page.next }) }
  }`
  return isList
    ? `run: async (ctx, input) => ({ items: await ctx.send(${request}) })`
    : `run: async (ctx, input) => (await ctx.send(${request})) ?? {}`
}

const itemsField = (document: ApiDocument, list: Schema) =>
  `items: ${answerSchema(document, list)}.meta({ description: 'The entries, as the provider answers them.' })`

const recordSource = (document: ApiDocument, name: string, answer: Schema, paging: Paging | undefined) => {
  const fields = paging
    ? [
        itemsField(document, document.resolve(nodeOf(answer.properties)[paging.list])),
        `next: z.string().optional().meta({ description: 'Give it as cursor to get the rest. Absent at the end.' })`,
      ]
    : typeOf(answer) === 'array'
      ? [itemsField(document, answer)]
      : outputFields(document, answer)
  return `export const ${name} = () =>\n  z.looseObject({\n${fields.map((field) => `    ${field},\n`).join('')}  })\n`
}

/** A request as an example writes it, from the values of the input. */
const requestOf = (
  { method }: Operation,
  path: string,
  fields: Field[],
  input: { [name: string]: unknown },
  paging: Paging | undefined,
) => {
  const text = (value: unknown) => (Array.isArray(value) && value.length !== 1 ? value.map(String) : String(value))
  const of = (place: Field['place']) => fields.filter((field) => field.place === place && field.name in input)
  const query = Object.fromEntries(of('query').map((field) => [field.sent, text(input[field.name])]))
  const body = Object.fromEntries(of('body').map((field) => [field.sent, input[field.name]]))
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_, sent: string) =>
    encodeURIComponent(String(input[fields.find((field) => field.sent === sent)?.name ?? ''])),
  )
  const numbered = paging?.rule.includes("'page'") ? { [paging.parameters[0]!]: '1' } : {}
  const paged = paging ? { ...numbered, [paging.size]: String(Math.min(usualPage, paging.max)) } : {}
  return {
    method,
    path: filled,
    ...(Object.keys({ ...query, ...paged }).length > 0 ? { query: { ...query, ...paged } } : {}),
    ...(fields.some(({ place }) => place === 'body') ? { body } : {}),
  }
}

/** Icon and verb of a step by its effect; those of an update are the default. */
const icons: { [effect: string]: string } = { read: 'list', create: 'card-add', delete: 'archive' }
const verbs: { [effect: string]: string } = { read: 'look up', create: 'add', delete: 'remove' }
/** Words to find the step by: its verb, and the thing that the path names last. */
const keywordsOf = ({ path }: Operation, effect: string): string[] => {
  const thing = path.split('/').findLast((part) => part !== '' && !part.startsWith('{') && !readVerbs.test(part))
  const letters = (thing ?? '').replaceAll(/[^a-zA-Z]+/g, ' ')
  const words = letters.trim().toLowerCase() || 'records'
  const verb = verbs[effect] ?? 'change'
  return [verb, `${verb} ${words}`]
}

/** @param base path of the server, before those of the document */
export const writeStep = (document: ApiDocument, operation: Operation, base: string): WrittenStep => {
  const title = titleOf(operation)
  const id = title.toLowerCase().replaceAll(' ', '-')
  const { status, schema: answer } = answerOf(document, operation)
  const { effect, isAssumed: isReadAssumed } = effectOf(operation, answer)
  const paging = pagingOf(document, operation, answer)
  const { fields, left } = fieldsOf(document, operation, paging?.parameters ?? [])
  const path = base + operation.path
  const request = requestSource(operation, path, fields, isReadAssumed)
  const names = { step: camelCase(`${id} step`), record: camelCase(`${id} answer`) }
  const isList = typeOf(answer) === 'array'
  const inputs = [...fields.map(({ name, source }) => `${name}: ${source}`), ...(paging ? pageFields(paging) : [])]
  const usesInput = /input\./.test(request) || paging
  const run = runSource(request, paging, isList)
  const kit = ['defineStep', ...(/given\(/.test(run) ? ['given'] : []), 'path', ...(paging ? ['readPage'] : []), 'z']
  const input = Object.fromEntries(
    fields
      .filter(({ isRequired }) => isRequired)
      .map((field) => [field.name, sample(document, field.sent, field.schema)]),
  )
  const reply = paging
    ? { [paging.list]: [sample(document, 'entry', document.resolve(nodeOf(answer.properties)[paging.list])['items'])] }
    : sample(document, 'answer', answer)
  const output = paging
    ? { items: (reply as { [list: string]: unknown })[paging.list] }
    : isList
      ? { items: reply }
      : reply
  return {
    id,
    title,
    names,
    left,
    isReadAssumed,
    record: recordSource(document, names.record, answer, paging),
    step: `import { ${kit.join(', ')} } from '#kit'
${/ as Json/.test(run) ? "import type { Json } from '#kit'\n" : ''}import { ${names.record} } from '../records.ts'

export default defineStep({
  id: ${literal(id)},
  title: ${literal(title)},
  purpose: ${literal(purposeOf(operation, title))},
  keywords: [${keywordsOf(operation, effect).map(literal).join(', ')}],
  icon: ${literal(icons[effect] ?? 'card-edit')},
  effect: ${literal(effect)},
  input: () => z.strictObject({\n${inputs.map((field) => `    ${field},\n`).join('')}  }),
  output: ${names.record},
  ${usesInput ? run : run.replace('(ctx, input)', '(ctx)')},
})
`,
    example: {
      step: id,
      cases: [
        {
          title: `${title}, with made-up values`,
          input,
          exchanges: [
            {
              request: requestOf(operation, path, fields, input, paging),
              reply: { status: status === 204 ? 200 : status, body: reply },
            },
          ],
          output,
        },
      ],
    },
  }
}
