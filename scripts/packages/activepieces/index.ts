/**
 * Pieces for Activepieces, one package of TypeScript source per integration, in the layout of its own pieces. The
 * platform's two packages are the only dependencies; everything else is in `src/lib/common`.
 */
import { clientSource, flatSource } from '../client-source.ts'
import { camel, conversionsOf, descriptionOf, isForSales, oneOfSentence, sampleStart, snake } from '../form.ts'
import type { Files } from '../generator.ts'
import { code, literal } from '../literal.ts'
import { readIcon } from '../manifests.ts'
import type { Field, Layout, Manifest, PackIndex, StepOf, TriggerOf } from '../manifests.ts'
import { propertiesOf } from './properties.ts'

/** The version that the generated code is written for and tested with; `test/platforms/package.json` has the same. */
const frameworkVersion = '0.32.0'
const sharedVersion = '0.95.1'
const compilerVersion = '5.9.2'
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
  `// Generated from manifests/${manifest.id}.json by \`npm run packages\`; changes here are lost.\n`

const frameworkLine = (names: string[]) => `import { ${names.join(', ')} } from '@activepieces/pieces-framework'\n`

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
  const props = code(`accountFields<InputPropertyMap[string]>(${literal(manifest.id)}, ${literal(id)}, Property)`)
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
  const body = `export const ${camel(id)} = createAction(${literal(action)})\n`
  return [
    fileHead(manifest),
    frameworkLine(['createAction', 'Property']),
    step.accountFields ? `import type { InputPropertyMap } from '@activepieces/pieces-framework'\n` : '',
    `import { auth } from '../auth'\n`,
    `import { ${usedIn(body, ['accountFields', 'choices', 'connections', 'run', 'yesOrNo'])} } from '../common/toolyard'\n\n`,
    body.includes('choices(form')
      ? `const form = ${literal({ kind: 'step', integration: manifest.id, id })} as const\n\n`
      : '',
    body,
  ].join('')
}

const usedIn = (body: string, names: string[]) =>
  names.filter((name) => new RegExp(String.raw`\b${name}\b[(<\s]`).test(body)).join(', ')

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
  const body = `export const ${camel(id)} = createTrigger(${literal(made).replace(/\n\}$/, () => `\n  ${hooks}\n}`)})\n`
  return [
    fileHead(manifest),
    frameworkLine(['createTrigger', 'Property', 'TriggerStrategy']),
    `import { auth } from '../auth'\n`,
    `import { ${usedIn(body, ['choices', 'connections', 'trigger', 'yesOrNo'])} } from '../common/toolyard'\n\n`,
    body.includes('choices(form')
      ? `const form = ${literal({ kind: 'trigger', integration: manifest.id, id })} as const\n\n`
      : '',
    body,
  ].join('')
}

const authFile = `import { PieceAuth, Property } from '@activepieces/pieces-framework'
import { validate } from './common/toolyard'

export const auth = PieceAuth.CustomAuth({
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

/** The GitHub names of those who answer for the piece. */
const authors = ['toolyard']

const pascal = (id: string) => camel(`-${id}`)

const indexFile = (manifest: Manifest, logoUrl: string) => {
  const { steps, triggers, title, summary } = manifest
  const idsOf = (parts: { id: string }[]) => parts.map(({ id }) => id)
  const imports = (folder: string, names: string, ids: string[]) =>
    ids.map((id) => `import { ${camel(id)} as ${names}${pascal(id)} } from './lib/${folder}/${id}'\n`).join('')
  const entries = (names: string, ids: string[]) => ids.map((id) => code(names + pascal(id)))
  const piece = {
    displayName: title,
    description: summary,
    auth: code('auth'),
    minimumSupportedRelease,
    logoUrl,
    authors,
    categories: [code(`PieceCategory.${isForSales(manifest) ? 'SALES_AND_CRM' : 'PRODUCTIVITY'}`)],
    actions: entries('action', idsOf(steps)),
    triggers: entries('trigger', idsOf(triggers)),
  }
  return [
    fileHead(manifest),
    frameworkLine(['createPiece']),
    `import { PieceCategory } from '@activepieces/shared'\n`,
    `import { auth } from './lib/auth'\n`,
    imports('actions', 'action', idsOf(steps)),
    imports('triggers', 'trigger', idsOf(triggers)),
    `\nexport const ${camel(manifest.id)} = createPiece(${literal(piece)})\n`,
  ].join('')
}

const readme = (name: string, { title, steps, triggers }: Manifest) => `# ${name}

${title} for Activepieces, through a toolyard server: ${steps.length} actions${triggers.length === 0 ? '' : ` and ${triggers.length} triggers`}.

Run \`npm install\` and \`npm pack\` here, which compiles the source. Install the piece under *Platform admin → Pieces → Install piece* with that file, or from your registry. Then connect it with the
address of your toolyard server and one of its tokens. Accounts are connected in toolyard; the field *Connection* chooses among them.

Generated; see docs/platforms.md of toolyard.
`

const svgUrl = (svg: string) => `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`

const nameOf = ({ id }: Manifest) => `piece-toolyard-${id}`

const compiler = {
  compilerOptions: {
    strict: true,
    noImplicitOverride: true,
    noImplicitReturns: true,
    noFallthroughCasesInSwitch: true,
    module: 'commonjs',
    moduleResolution: 'node',
    target: 'es2022',
    lib: ['es2023'],
    types: ['node'],
    skipLibCheck: true,
    declaration: true,
    rootDir: './src',
    outDir: './dist',
  },
  include: ['src/**/*.ts'],
}

/** What all actions and triggers use; the same in every piece. */
const common = (): Files =>
  Object.fromEntries(
    Object.entries({
      ...clientSource({ ending: '', fetch: true }),
      'input.ts': flatSource('input.ts'),
      'toolyard.ts': flatSource('activepieces/runtime.ts'),
    }).map(([name, content]) => [`src/lib/common/${name}`, content]),
  )

export const piecePackage = (manifest: Manifest, pack: PackIndex): Files => {
  const name = nameOf(manifest)
  const described = {
    name,
    version: pack.version,
    description: `${manifest.title} for Activepieces, through toolyard`,
    license: pack.license,
    type: 'commonjs',
    main: './dist/index.js',
    types: './dist/index.d.ts',
    files: ['dist'],
    scripts: { build: 'tsc -p tsconfig.json', prepack: 'npm run build' },
    dependencies: { '@activepieces/pieces-framework': frameworkVersion, '@activepieces/shared': sharedVersion },
    devDependencies: { '@types/node': '^20.0.0', typescript: compilerVersion },
  }
  return {
    'package.json': `${JSON.stringify(described, null, 2)}\n`,
    'README.md': readme(name, manifest),
    'tsconfig.json': `${JSON.stringify(compiler, null, 2)}\n`,
    'src/index.ts': indexFile(manifest, svgUrl(readIcon(manifest.icon.light))),
    'src/lib/auth.ts': authFile,
    ...common(),
    ...Object.fromEntries(manifest.steps.map((step) => [`src/lib/actions/${step.id}.ts`, actionFile(manifest, step)])),
    ...Object.fromEntries(
      manifest.triggers.map((trigger) => [`src/lib/triggers/${trigger.id}.ts`, triggerFile(manifest, trigger)]),
    ),
  }
}

/** All pieces, each in a folder of its own. */
export const pieces = ({ pack, manifests }: { pack: PackIndex; manifests: Manifest[] }): Files => {
  const files: Files = {}
  for (const manifest of manifests)
    for (const [path, content] of Object.entries(piecePackage(manifest, pack)))
      files[`${nameOf(manifest)}/${path}`] = content
  return files
}
