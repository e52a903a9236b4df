/**
 * Pieces for Activepieces, one package per integration, to install on its "My pieces" page or from its registry. The
 * framework is the only dependency; everything else is in `src/toolyard.js`.
 */
import { bundle } from '../bundle.ts'
import { camel, conversionsOf, descriptionOf, oneOfSentence, sampleStart, snake } from '../form.ts'
import type { Files } from '../generator.ts'
import { code, literal } from '../literal.ts'
import { readIcon } from '../manifests.ts'
import type { Field, Layout, Manifest, PackIndex, StepOf, TriggerOf } from '../manifests.ts'
import { propertiesOf } from './properties.ts'

/** The version that the generated code is written for and tested with; `test/platforms/package.json` has the same. */
const frameworkVersion = '0.32.0'
/** The oldest release of the platform with this framework. */
const minimumSupportedRelease = '0.82.0'

const inProps = '    '

const connectionProperty = ({ id, title }: Manifest, required: boolean) => ({
  connection: code(
    `Property.Dropdown(${literal(
      {
        displayName: 'Connection',
        description: `Which ${title} account to use.${required ? '' : ' The default account if none is chosen.'}`,
        required,
        auth: code('auth'),
        refreshers: [],
        options: code(`connections(${literal(id)})`),
      },
      inProps,
    )})`,
  ),
})

const hint = (layout: Layout) => {
  const sentence = oneOfSentence(layout)
  return sentence === undefined ? {} : { oneOf: code(`Property.MarkDown(${literal({ value: sentence })})`) }
}

const fileHead = (manifest: Manifest) =>
  `'use strict'\n// Generated from manifests/${manifest.id}.json by \`npm run packages\`; changes here are lost.\n`

const frameworkLine = (names: string[]) => `const { ${names.join(', ')} } = require('@activepieces/pieces-framework')\n`

const accountFieldsOf = ({ id, accountFields, layout }: StepOf, manifest: Manifest) => {
  if (!accountFields) return {}
  const { field, dependsOn } = accountFields
  const title = layout.fields.find(({ name }) => name === field)!.title
  const propertyOptions = {
    displayName: title,
    required: true,
    auth: code('auth'),
    refreshers: ['connection', ...dependsOn],
  }
  const props = code(`accountFields(${literal(manifest.id)}, ${literal(id)}, Property)`)
  return { [field]: code(`Property.DynamicProperties(${literal({ ...propertyOptions, props }, inProps)})`) }
}

export const actionFile = (manifest: Manifest, step: StepOf): string => {
  const { id, title, layout, connection, effect } = step
  const props = {
    ...(connection ? connectionProperty(manifest, false) : {}),
    ...hint(layout),
    ...propertiesOf(layout, inProps),
    ...accountFieldsOf(step, manifest),
  }
  const action = {
    auth: code('auth'),
    name: snake(id),
    displayName: title,
    description: descriptionOf(step),
    audience: 'both',
    aiMetadata: { description: step.purpose, idempotent: effect === 'read' },
    props,
    run: code(
      `run(${literal(manifest.id)}, ${literal(id)}, ${literal(conversionsOf(layout.fields, step.accountFields?.field), '  ')})`,
    ),
  }
  const body = `exports.${camel(id)} = createAction(${literal(action)})\n`
  return [
    fileHead(manifest),
    frameworkLine(['createAction', 'Property']),
    `const { auth } = require('../auth.js')\n`,
    `const { ${usedIn(body, ['accountFields', 'choices', 'connections', 'run', 'yesOrNo'])} } = require('../toolyard.js')\n\n`,
    body.includes('choices(form') ? `const form = ${literal({ kind: 'step', integration: manifest.id, id })}\n\n` : '',
    body,
  ].join('')
}

const usedIn = (body: string, names: string[]) =>
  names.filter((name) => new RegExp(String.raw`\b${name}\b[(\s]`).test(body)).join(', ')

/** The platform has one form for a trigger's config and options. */
const fieldsOf = ({ layout, optionsLayout }: TriggerOf): Layout => {
  const options: Field[] = optionsLayout.fields.map((field) => ({ ...field, place: 'more' }))
  const twice = options.find(({ name }) => layout.fields.some((field) => field.name === name))
  if (twice) throw new Error(`Config and options of a trigger both have a field "${twice.name}".`)
  return { fields: [...layout.fields, ...options], oneOf: layout.oneOf }
}

export const triggerFile = (manifest: Manifest, trigger: TriggerOf): string => {
  const { id, title, layout, optionsLayout } = trigger
  const form = fieldsOf(trigger)
  const conversions = { config: conversionsOf(layout.fields), options: conversionsOf(optionsLayout.fields) }
  const made = {
    auth: code('auth'),
    name: snake(id),
    displayName: title,
    description: descriptionOf(trigger),
    aiMetadata: { description: trigger.purpose },
    type: code('TriggerStrategy.WEBHOOK'),
    props: { ...connectionProperty(manifest, false), ...hint(layout), ...propertiesOf(form, inProps) },
    sampleData: sampleStart(manifest, trigger),
  }
  const hooks = `...trigger(${literal(manifest.id)}, ${literal(id)}, ${literal(conversions, '  ')}),`
  const body = `exports.${camel(id)} = createTrigger(${literal(made).replace(/\n\}$/, () => `\n  ${hooks}\n}`)})\n`
  return [
    fileHead(manifest),
    frameworkLine(['createTrigger', 'Property', 'TriggerStrategy']),
    `const { auth } = require('../auth.js')\n`,
    `const { ${usedIn(body, ['choices', 'connections', 'trigger', 'yesOrNo'])} } = require('../toolyard.js')\n\n`,
    body.includes('choices(form')
      ? `const form = ${literal({ kind: 'trigger', integration: manifest.id, id })}\n\n`
      : '',
    body,
  ].join('')
}

const authFile = `'use strict'
const { PieceAuth, Property } = require('@activepieces/pieces-framework')
const { validate } = require('./toolyard.js')

exports.auth = PieceAuth.CustomAuth({
  displayName: 'toolyard server',
  description: 'The address of your toolyard server, and a token made with \`toolyard tokens add\`.',
  required: true,
  props: {
    address: Property.ShortText({
      displayName: 'Address',
      description: 'Without a path such as /v1. Activepieces must be able to reach it; for triggers, it must be able to reach Activepieces.',
      required: true,
    }),
    token: PieceAuth.SecretText({ displayName: 'Token', description: 'A bearer token of the toolyard server.', required: true }),
  },
  validate,
})
`

const indexFile = (manifest: Manifest, logoUrl: string) => {
  const { steps, triggers, title, summary } = manifest
  const entries = (folder: string, ids: string[]) =>
    ids.map((id) => code(`require('./${folder}/${id}.js').${camel(id)}`))
  const piece = {
    displayName: title,
    description: summary,
    auth: code('auth'),
    minimumSupportedRelease,
    logoUrl,
    authors: [],
    actions: entries(
      'actions',
      steps.map(({ id }) => id),
    ),
    triggers: entries(
      'triggers',
      triggers.map(({ id }) => id),
    ),
  }
  return [
    fileHead(manifest),
    frameworkLine(['createPiece']),
    `const { auth } = require('./auth.js')\n\n`,
    `exports.${camel(manifest.id)} = createPiece(${literal(piece)})\n`,
  ].join('')
}

const readme = (name: string, { title, steps, triggers }: Manifest) => `# ${name}

${title} for Activepieces, through a toolyard server: ${steps.length} actions${triggers.length === 0 ? '' : ` and ${triggers.length} triggers`}.

Install it under *Platform admin → Pieces → Install piece* with the file that \`npm pack\` writes here, or from your registry. Then connect it with the
address of your toolyard server and one of its tokens. Accounts are connected in toolyard; the field *Connection* chooses among them.

Generated; see docs/platforms.md of toolyard.
`

const svgUrl = (svg: string) => `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`

const nameOf = ({ id }: Manifest) => `piece-toolyard-${id}`

export const piecePackage = async (manifest: Manifest, pack: PackIndex): Promise<Files> => {
  const name = nameOf(manifest)
  const described = {
    name,
    version: pack.version,
    description: `${manifest.title} for Activepieces, through toolyard`,
    license: pack.license,
    type: 'commonjs',
    main: './src/index.js',
    files: ['src'],
    dependencies: { '@activepieces/pieces-framework': frameworkVersion },
  }
  return {
    'package.json': `${JSON.stringify(described, null, 2)}\n`,
    'README.md': readme(name, manifest),
    'src/index.js': indexFile(manifest, svgUrl(readIcon(manifest.icon.light))),
    'src/auth.js': authFile,
    'src/toolyard.js': await bundle('activepieces/runtime.ts'),
    ...Object.fromEntries(manifest.steps.map((step) => [`src/actions/${step.id}.js`, actionFile(manifest, step)])),
    ...Object.fromEntries(
      manifest.triggers.map((trigger) => [`src/triggers/${trigger.id}.js`, triggerFile(manifest, trigger)]),
    ),
  }
}

/** All pieces, each in a folder of its own. */
export const pieces = async ({ pack, manifests }: { pack: PackIndex; manifests: Manifest[] }): Promise<Files> => {
  const files: Files = {}
  for (const manifest of manifests)
    for (const [path, content] of Object.entries(await piecePackage(manifest, pack)))
      files[`${nameOf(manifest)}/${path}`] = content
  return files
}
