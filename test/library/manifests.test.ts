import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { portabilityProblems } from '#kit'
import { schemaProblems, valueProblems } from '../forms/platform.ts'
import { manifestText } from '../../scripts/manifest-text.ts'
import { integrations } from '../../integrations/index.ts'
import type { Layout } from '../../shared/runtime/catalogue/form-layout.ts'
import { buildManifest } from '../../shared/runtime/catalogue/manifest.ts'
import type { Manifest } from '../../shared/runtime/catalogue/manifest.ts'
import { manifestShape } from '../../shared/api/manifest.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { triggerCount } from '../support/shipped.ts'

const folder = fileURLToPath(new URL('../../manifests/', import.meta.url))
const read = (name: string) => readFileSync(`${folder}${name}`, 'utf8')
const json = (name: string) => JSON.parse(read(name)) as Record<string, any>
const pack = json('pack.json')
const manifests = integrations.map(({ id }) => [id, json(`${id}.json`) as unknown as Manifest] as const)

describe('examples', () => {
  it.each(manifests)('of %s fit the schemas beside them', (_, { steps, triggers }) => {
    const problems = [
      ...steps.flatMap(({ id, ready, form, output, examples }) =>
        examples.flatMap((example) => [
          ...('output' in example ? valueProblems(output, example.output).map((problem) => [id, problem]) : []),
          // Of a step that cannot run, the cases show what another profile offers.
          ...(ready ? valueProblems(form, example.input).map((problem) => [id, problem]) : []),
        ]),
      ),
      ...triggers.flatMap(({ id, config, data, examples }) =>
        examples.flatMap((example) => [
          ...(example.data === null ? [] : valueProblems(data, example.data).map((problem) => [id, problem])),
          ...valueProblems(config, example.config).map((problem) => [id, problem]),
        ]),
      ),
    ]
    expect(problems).toEqual([])
  })
})

describe('the text', () => {
  it.each(manifests)('of %s has a schema, a layout and an example on each line', (id, manifest) => {
    const text = read(`${id}.json`)
    expect(manifestText(manifest)).toBe(text)
    const lines = text.split('\n').map((line) => line.trim().replace(/,$/, ''))
    for (const { input, layout, examples } of manifest.steps) {
      expect(lines).toEqual(
        expect.arrayContaining([`"input": ${JSON.stringify(input)}`, `"layout": ${JSON.stringify(layout)}`]),
      )
      expect(lines).toEqual(expect.arrayContaining(examples.map((example) => JSON.stringify(example))))
    }
  })

  it('leaves out what is undefined, as JSON does', () => {
    const value = {
      steps: [
        {
          id: 'a',
          none: undefined,
          nothing: null,
          list: [],
          deep: { of: [{ a: [1] }] },
          examples: [{ title: '"$&"' }],
        },
      ],
    }
    expect(JSON.parse(manifestText(value))).toEqual(JSON.parse(JSON.stringify(value)))
  })
})

describe('the index', () => {
  it('names every integration with the sum of its manifest', () => {
    expect(pack.integrations.map(({ id }: { id: string }) => id)).toEqual(integrations.map(({ id }) => id))
    for (const { id, manifest, sha256, steps, triggers } of pack.integrations) {
      expect(createHash('sha256').update(read(manifest)).digest('hex'), `${id}: run "npm run manifests"`).toBe(sha256)
      const whole = json(manifest)
      expect([
        whole.steps.map(({ tool }: { tool: string }) => tool),
        whole.triggers.map((trigger: { id: string }) => trigger.id),
      ]).toEqual([steps, triggers])
    }
  })

  it('has an icon for light and dark of everything, drawn and small', () => {
    const icons = [pack.icon, ...pack.integrations.map(({ icon }: { icon: object }) => icon)] as {
      light: string
      dark: string
    }[]
    expect(icons.flatMap((icon) => Object.values(icon)).sort()).toEqual(
      readdirSync(`${folder}icons`)
        .filter((name) => name.endsWith('.svg'))
        .map((name) => `icons/${name}`)
        .sort(),
    )
    for (const { light, dark } of icons) {
      for (const icon of [read(light), read(dark)]) {
        expect(icon).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 48 48"[^>]*>\s*<title>/)
        expect(icon.length).toBeLessThan(1500)
        // Nothing that runs, loads or comes from elsewhere.
        expect(icon).not.toMatch(/<script|on\w+=|href|url\(|<style|<image|<foreignObject/i)
      }
      expect(read(light)).not.toBe(read(dark))
    }
  })
})

describe('the icons of steps and triggers', () => {
  const named = [
    ...new Set(manifests.flatMap(([, { steps, triggers }]) => [...steps, ...triggers].map(({ icon }) => icon))),
  ].sort()

  it('exist for each, and each is used', () => {
    const files = readdirSync(`${folder}icons/steps`).map((name) => `icons/steps/${name}`)
    expect(named, 'give each step and trigger an `icon`; remove files that nothing uses').toEqual(files.sort())
  })

  it('are drawn in the colour of the text, small, and load nothing', () => {
    for (const name of named) {
      const icon = read(name!)
      expect(icon, name!).toMatch(
        /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 24 24" fill="none" stroke="currentColor"[^>]*><title>/,
      )
      expect(icon.length, name!).toBeLessThan(700)
      expect(icon, name!).not.toMatch(/<script|on\w+=|href|url\(|style|<image|<foreignObject|#[0-9a-f]{3}/i)
    }
  })
})

const layoutProblems = (where: string, layout: Layout, properties: string[]): string[] => {
  const names = layout.fields.map(({ name }) => name)
  const problems =
    names.join() === properties.join() ? [] : [`${where} draws ${names.join(', ')} of ${properties.join(', ')}`]
  for (const field of layout.fields) {
    if (field.title === field.name || field.title === '') problems.push(`${where}/${field.name} has no title`)
    if (field.description.length < 8) problems.push(`${where}/${field.name} has no description`)
    for (const other of field.dependsOn ?? [])
      if (!names.includes(other)) problems.push(`${where}/${field.name} depends on "${other}", which is not shown`)
    if (field.control.startsWith('choice') !== (field.choices !== undefined))
      problems.push(`${where}/${field.name} is a ${field.control} with choices ${String(field.choices)}`)
    for (const choice of field.choices ?? [])
      if (!field.labels?.[choice] || /[a-z][A-Z]/.test(field.labels[choice]))
        problems.push(`${where}/${field.name}: the choice "${choice}" has no title`)
    if (field.helpUrl !== undefined && !/^https:\/\/[a-z.]+\/\S+$/.test(field.helpUrl))
      problems.push(`${where}/${field.name}: ${field.helpUrl} is no page`)
    if (field.showWhen && !names.includes(field.showWhen.field))
      problems.push(`${where}/${field.name} is shown with "${field.showWhen.field}", which is not`)
    for (const value of field.showWhen?.is ?? []) {
      const { choices } = layout.fields.find(({ name }) => name === field.showWhen!.field) ?? {}
      if (choices && !choices.includes(String(value)))
        problems.push(`${where}/${field.name} is shown for "${String(value)}", which is no choice`)
    }
    if (field.control === 'rows' && !field.row) problems.push(`${where}/${field.name} has rows without a layout`)
    if (field.row)
      problems.push(
        ...layoutProblems(
          `${where}/${field.name}`,
          field.row,
          field.row.fields.map(({ name }) => name),
        ),
      )
  }
  for (const { fields } of layout.oneOf?.sets ?? [])
    for (const name of fields)
      if (layout.fields.find((field) => field.name === name)?.place !== 'main')
        problems.push(`${where}: "${name}" of a rule is not in front`)
  return problems
}
const propertiesOf = (schema: Record<string, unknown>) => Object.keys((schema.properties ?? {}) as object)

describe.each(manifests)('%s', (id, manifest) => {
  const definition = integrations.find((candidate) => candidate.id === id)!

  it('fits its schema, as zod and as JSON Schema', () => {
    expect(manifestShape().safeParse(manifest).error?.issues).toBeUndefined()
    expect(schemaProblems(manifest)).toEqual([])
    expect(schemaProblems({ ...manifest, steps: [{}] })).not.toEqual([])
    expect(json('manifest.schema.json').$id).toBe(`urn:toolyard:manifest-schema:${manifest.schemaVersion}`)
    expect(manifest.urn).toBe(`urn:toolyard:manifest:${id}:${definition.version}`)
  })

  it('draws every field of every form', () => {
    const problems = [
      ...manifest.steps.flatMap((step) => layoutProblems(step.id, step.layout, propertiesOf(step.form))),
      ...manifest.triggers.flatMap((trigger) =>
        layoutProblems(trigger.id, trigger.layout, propertiesOf(trigger.config)),
      ),
      ...manifest.triggers.flatMap((trigger) =>
        layoutProblems(`${trigger.id} (options)`, trigger.optionsLayout, propertiesOf(trigger.options)),
      ),
      ...manifest.connections.flatMap((connection) =>
        layoutProblems(
          connection.id,
          connection.layout,
          connection.flow.startsWith('oauth') ? [] : propertiesOf(connection.secrets),
        ),
      ),
    ]
    expect(problems).toEqual([])
  })

  it('says pick exactly where choices can be loaded, and hides what only narrows them from tools', () => {
    for (const made of [
      ...definition.steps.map((step) => ({
        step,
        shown: manifest.steps.find((candidate) => candidate.id === step.id)!,
      })),
      ...(definition.triggers ?? []).map((step) => ({
        step,
        shown: manifest.triggers.find((candidate) => candidate.id === step.id)!,
      })),
    ]) {
      for (const field of made.shown.layout.fields) {
        expect(field.control.startsWith('pick'), `${made.step.id}/${field.name}`).toBe(
          made.step.fields?.[field.name]?.options !== undefined,
        )
        if ('input' in made.shown)
          expect(propertiesOf(made.shown.input).includes(field.name)).toBe(field.scope !== true)
      }
    }
  })

  it('gives a badge for what a picker must show, and a version for every contract', () => {
    for (const step of manifest.steps) {
      expect(step.badges.includes('credits')).toBe(step.cost !== null)
      expect(step.badges.includes('legacy')).toBe(step.legacy !== null)
      expect(step.badges.includes('setup')).toBe(!step.ready)
      expect(step.badges.includes('beta')).toBe(manifest.maturity === 'beta')
      expect(step.version).toMatch(/^\d+\.\d+$/)
    }
    for (const trigger of manifest.triggers)
      expect(trigger.badges.filter((badge) => badge === 'instant' || badge === 'polling')).toEqual([
        trigger.instant ? 'instant' : 'polling',
      ])
    expect(manifest.groups.at(-1)).toBe('Advanced')
    expect(new Set(manifest.groups)).toEqual(new Set(manifest.steps.map(({ group }) => group)))
  })

  it('has words to find each step and trigger by, and asks for no scope that connecting does not', () => {
    const under = (override: Record<string, unknown>) => {
      const { all } = createRegistry(integrations, definition.wire.oauth ? { [id]: override } : {})
      return buildManifest(
        all.find(({ integration }) => integration.id === id)!,
        [],
      )
    }
    for (const shown of [manifest, under({ oauth: { version: '2.0' } })]) {
      for (const { id: of, keywords } of [...shown.steps, ...shown.triggers])
        expect([of, keywords.length > 1]).toEqual([of, true])
      const inBrowser = shown.connections.filter(({ flow }) => flow.startsWith('oauth'))
      const requestedScopes = new Set(inBrowser.flatMap(({ oauthScopes }) => oauthScopes))
      const needed = [...shown.steps, ...shown.triggers].flatMap(({ oauthScopes }) => oauthScopes)
      expect(needed.length > 0).toBe(inBrowser.length > 0)
      expect(needed.filter((scope) => !requestedScopes.has(scope))).toEqual([])
    }
  })

  it('has a sample of every output and event', () => {
    const none = [...manifest.steps, ...manifest.triggers].flatMap(({ id: of, sample }) =>
      sample === null ? [of] : [],
    )
    expect(none).toEqual(manifest.apiCall.operations.length === 0 ? ['find-endpoints'] : [])
  })

  it('shows an example of everything', () => {
    // Where no endpoint is known, there is nothing to find.
    const findsNothing = manifest.apiCall.operations.length === 0
    const shown = [
      ...manifest.steps.filter(({ id: step }) => !(findsNothing && step === 'find-endpoints')),
      ...manifest.triggers,
    ]
    for (const { id: of, examples } of shown) expect(examples.length, of).toBeGreaterThan(0)
  })
})

describe('the options of a subscription', () => {
  const triggers = manifests.flatMap(([, manifest]) => manifest.triggers)

  it('are those that its trigger takes, as schemas that every host takes', () => {
    expect(triggers).toHaveLength(triggerCount)
    for (const { id, options, delivery, instant } of triggers) {
      expect([id, portabilityProblems(options)]).toEqual([id, []])
      const names = [
        ...(delivery.length > 1 ? ['delivery'] : []),
        'startFrom',
        ...(instant ? ['settleMs'] : []),
        'ownEvents',
        'serial',
        'timeoutMs',
      ]
      expect([id, Object.keys(options.properties as object)]).toEqual([id, names])
    }
  })
})
