/**
 * Apps for Zapier's platform, one for each integration: creates, searches (read-only steps), REST-hook triggers, and a
 * hidden trigger for each dropdown. `zapier-platform push` in the folder of an app uploads it to an account.
 */
import { bundle } from '../bundle.ts'
import { conversionsOf, descriptionOf, oneOfSentence, sampleStart, snake } from '../form.ts'
import type { Files } from '../generator.ts'
import { code, literal } from '../literal.ts'
import type { Layout, Manifest, PackIndex, StepOf, TriggerOf } from '../manifests.ts'
import { nounOf } from '../noun.ts'
import { choicesIn, cut, inputFields } from './fields.ts'
import type { Choices } from './fields.ts'

/** The version that the generated code is written for and tested with; `test/platforms/package.json` has the same. */
const platformVersion = '19.1.0'
const maxLabel = 64
const maxDescription = 1000

const keyOf = (manifest: Manifest, id: string) => `${snake(manifest.id)}_${snake(id)}`
const connectionsKey = (manifest: Manifest) => `${snake(manifest.id)}_connections`

const displayOf = ({ title }: StepOf | TriggerOf, description: string, layout: Layout) => {
  const parts = [description, oneOfSentence(layout)].filter((part) => part !== undefined)
  return { label: cut(title, maxLabel), description: cut(parts.join(' '), maxDescription) }
}

/** Zapier publishes no trigger whose description begins otherwise. */
const triggerDescription = (trigger: TriggerOf) => {
  const description = descriptionOf(trigger)
  return description.startsWith('Starts when ')
    ? description.replace('Starts', 'Triggers')
    : `Triggers when this happens: ${description}`
}

const connectionField = (manifest: Manifest) => ({
  key: 'connection',
  label: 'Connection',
  type: 'string',
  required: false,
  helpText: `Which ${manifest.title} account to use. The default account if none is chosen.`,
  dynamic: `${connectionsKey(manifest)}.id.name`,
  altersDynamicFields: true,
})

const moduleOf = (manifest: Manifest, uses: string[], exported: unknown, before = '') => {
  const body = `module.exports = ${literal(exported)}\n`
  const used = uses.filter((name) => new RegExp(String.raw`\b${name}\(`).test(body))
  return [
    `'use strict'\n// Generated from manifests/${manifest.id}.json by \`npm run packages\`; changes here are lost.\n`,
    `const { ${used.join(', ')} } = require('../toolyard.js')\n\n`,
    before,
    body,
  ].join('')
}

export const stepFile = (manifest: Manifest, step: StepOf): string => {
  const { id, layout, connection, form, effect, sample, accountFields } = step
  if (typeof sample !== 'object' || sample === null)
    throw new Error(`${manifest.id}: ${id} has no sample, which Zapier shows in the place of a run.`)
  const key = keyOf(manifest, id)
  const drawn = { ...layout, fields: layout.fields.filter(({ name }) => name !== accountFields?.field) }
  const settings = {
    integration: manifest.id,
    step: id,
    fields: conversionsOf(layout.fields, accountFields?.field),
    accountFields: accountFields?.field,
  }
  const made = accountFields
    ? [code(`accountFields(${literal(manifest.id)}, ${literal(id)}, ${literal(accountFields)})`)]
    : []
  return moduleOf(manifest, ['create', 'search', 'shownWhen', 'accountFields'], {
    key,
    noun: nounOf(step.title, 'step'),
    display: displayOf(step, descriptionOf(step), layout),
    operation: {
      inputFields: [
        ...(connection ? [connectionField(manifest)] : []),
        ...inputFields(drawn, form, key, accountFields?.dependsOn),
        ...made,
      ],
      perform: code(`${effect === 'read' ? 'search' : 'create'}(${literal(settings, '    ')})`),
      sample,
    },
  })
}

export const triggerFile = (manifest: Manifest, trigger: TriggerOf): string => {
  const { id, layout, optionsLayout, config, options } = trigger
  const key = keyOf(manifest, id)
  const settings = {
    integration: manifest.id,
    trigger: id,
    config: conversionsOf(layout.fields),
    options: conversionsOf(optionsLayout.fields),
  }
  const operation = {
    inputFields: [
      connectionField(manifest),
      ...inputFields(layout, config, key),
      ...inputFields(optionsLayout, options, key),
    ],
    sample: sampleStart(manifest, trigger),
  }
  const exported = {
    key,
    noun: nounOf(trigger.title, 'trigger'),
    display: displayOf(trigger, triggerDescription(trigger), layout),
    operation: code('operation'),
  }
  const before = `const operation = ${literal(operation).replace(/\n\}$/, () => `\n  ...hook(${literal(settings, '  ')}),\n}`)}\n\n`
  return moduleOf(manifest, [], exported, before).replace(
    'const {  } = require',
    `const { ${before.includes('shownWhen(') ? 'hook, shownWhen' : 'hook'} } = require`,
  )
}

const hidden = (
  manifest: Manifest,
  { key, field, needs }: Choices,
  form: { kind: 'step' | 'trigger'; id: string },
) => ({
  key,
  noun: field.title,
  display: {
    label: cut(field.title, maxLabel),
    description: `Triggers when the choices of "${field.title}" are loaded.`,
    hidden: true,
  },
  operation: {
    type: 'polling',
    perform: code(
      `choices(${literal({ ...form, integration: manifest.id })}, ${literal(field.name)}, ${literal(needs)})`,
    ),
  },
})

/** The file with all hidden triggers of an integration. */
const choicesFile = (manifest: Manifest): string => {
  const all = [
    ...manifest.steps.flatMap(({ id, layout }) =>
      choicesIn(layout, keyOf(manifest, id)).map((choices) => hidden(manifest, choices, { kind: 'step', id })),
    ),
    ...manifest.triggers.flatMap(({ id, layout }) =>
      choicesIn(layout, keyOf(manifest, id)).map((choices) => hidden(manifest, choices, { kind: 'trigger', id })),
    ),
  ]
  const connections = {
    key: connectionsKey(manifest),
    noun: 'Connection',
    display: {
      label: 'Connections',
      description: 'Triggers when the connected accounts are loaded.',
      hidden: true,
    },
    operation: { type: 'polling', perform: code(`connections(${literal(manifest.id)})`) },
  }
  return moduleOf(manifest, ['choices', 'connections'], [connections, ...all])
}

const indexFile = (manifest: Manifest): string => {
  const entries = (kind: 'searches' | 'creates' | 'triggers', files: string[]) =>
    `  ${kind}: byKey([\n${files.map((file) => `    ${file === 'choices' ? '...' : ''}require('./${kind}/${file}.js'),\n`).join('')}  ]),\n`
  const stepsOf = (isRead: boolean) =>
    manifest.steps.filter(({ effect }) => (effect === 'read') === isRead).map(({ id }) => id)
  const triggers = [...manifest.triggers.map(({ id }) => id), 'choices']
  return `'use strict'
// Generated from manifests/${manifest.id}.json by \`npm run packages\`; changes here are lost.
const { version } = require('./package.json')
const { version: platformVersion } = require('zapier-platform-core')
const { testAuth } = require('./toolyard.js')

const byKey = (entries) => Object.fromEntries(entries.map((entry) => [entry.key, entry]))

module.exports = {
  version,
  platformVersion,
  authentication: {
    type: 'custom',
    test: testAuth,
    connectionLabel: '{{address}}',
    fields: [
      {
        key: 'address',
        label: 'Address',
        type: 'string',
        required: true,
        isNoSecret: true,
        placeholder: 'https://toolyard.example',
        helpText: 'Address of your toolyard server, without a path such as /v1. Zapier must be able to reach it.',
      },
      { key: 'token', label: 'Token', type: 'password', required: true, helpText: 'A bearer token of the toolyard server, made with "toolyard tokens add".' },
    ],
  },
${entries('triggers', triggers)}${entries('searches', stepsOf(true))}${entries('creates', stepsOf(false))}}
`
}

const nameOf = ({ id }: Manifest) => `zapier-toolyard-${id}`

const readme = (manifest: Manifest) => `# ${nameOf(manifest)}

A Zapier app for a toolyard server: ${manifest.title}.

    npm install
    npm install --global zapier-platform-cli@${platformVersion}
    zapier-platform login
    zapier-platform register
    zapier-platform push

The last three commands need Node 22 or newer.

Generated; see docs/platforms.md of toolyard.
`

/** The app of one integration. */
export const zapierApp = async (manifest: Manifest, pack: PackIndex): Promise<Files> => {
  const described = {
    name: nameOf(manifest),
    version: pack.version,
    private: true,
    description: `${manifest.title} for Zapier, through toolyard`,
    license: pack.license,
    type: 'commonjs',
    main: 'index.js',
    engines: { node: '>=18' },
    dependencies: { 'zapier-platform-core': platformVersion },
  }
  return {
    'package.json': `${JSON.stringify(described, null, 2)}\n`,
    'README.md': readme(manifest),
    'index.js': indexFile(manifest),
    'toolyard.js': await bundle('zapier/runtime.ts'),
    ...Object.fromEntries(
      manifest.steps.map((step) => [
        `${step.effect === 'read' ? 'searches' : 'creates'}/${step.id}.js`,
        stepFile(manifest, step),
      ]),
    ),
    ...Object.fromEntries(
      manifest.triggers.map((trigger) => [`triggers/${trigger.id}.js`, triggerFile(manifest, trigger)]),
    ),
    'triggers/choices.js': choicesFile(manifest),
  }
}

/** All apps, each in a folder of its own: Zapier publishes one app for each service. */
export const zapierApps = async ({ pack, manifests }: { pack: PackIndex; manifests: Manifest[] }): Promise<Files> => {
  const files: Files = {}
  for (const manifest of manifests)
    for (const [path, content] of Object.entries(await zapierApp(manifest, pack)))
      files[`${nameOf(manifest)}/${path}`] = content
  return files
}
