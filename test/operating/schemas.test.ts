/**
 * The compose files against the schema of their specification, and the Kubernetes manifests against the types of its
 * API. What our own checks say of both, and that every setting in them exists, is in test/containers.test.ts.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { read } from '../docs/pages.ts'
import { readYaml } from '../support/container-files.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const tools = join(root, 'test/tools')
for (const name of ['ajv', 'kubernetes-types'])
  if (!existsSync(join(tools, 'node_modules', name)))
    throw new Error(`${name} is not installed; npm ci --prefix test/tools`)

type Validate = { (data: unknown): boolean; errors?: { instancePath: string; message?: string; params: object }[] }
type AjvClass = new (options: object) => { compile(schema: object): Validate }

/** What the schema of compose files finds wrong in one, each with its place. */
const composeProblems = (() => {
  const { default: Ajv } = createRequire(join(tools, 'package.json'))('ajv') as { default: AjvClass }
  // `$schema` names the draft by an address that validators do not know; they read it as that draft anyway.
  const { $schema: _, ...schema } = JSON.parse(read('test/fixtures/compose-spec/compose-spec.json')) as object & {
    $schema: string
  }
  // The schema leaves out types that follow from others, which strict mode refuses.
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema)
  return (text: string) => {
    const documents = readYaml(text)
    expect(documents).toHaveLength(1)
    validate(documents[0])
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath}: ${message} ${JSON.stringify(params)}`,
    )
  }
})()

/** Types of the objects that we have manifests of, by group and kind. */
const apiTypes: Record<string, string> = {
  'v1 Service': 'core/v1',
  'policy/v1 PodDisruptionBudget': 'policy/v1',
  'apps/v1 Deployment': 'apps/v1',
  'batch/v1 Job': 'batch/v1',
}

/** What the compiler finds wrong in manifests as literals of the API's types: fields that are missing, unknown or of another type. */
const manifestProblems = (text: string) => {
  const objects = readYaml(text) as { apiVersion: string; kind: string }[]
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-kubernetes-'))
  try {
    const lines = objects.map((object, n) => {
      const from = apiTypes[`${object.apiVersion} ${object.kind}`]
      if (from === undefined) throw new Error(`Name the type of ${object.apiVersion} ${object.kind} in apiTypes.`)
      const type = `import('kubernetes-types/${from}').${object.kind}`
      return `export const object${n}: ${type} = ${JSON.stringify(object)}`
    })
    writeFileSync(join(folder, 'objects.ts'), lines.join('\n'))
    const paths = { 'kubernetes-types/*': [join(tools, 'node_modules/kubernetes-types/*')] }
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { strict: true, noEmit: true, types: [], paths }, files: ['objects.ts'] }),
    )
    const { stdout, stderr, error } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], {
      encoding: 'utf8',
    })
    if (error) throw error
    return `${stdout}${stderr}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('the compose files', () => {
  it.each(['compose.yaml', 'compose-postgresql.yaml'])('%s is valid by the Compose Specification', (file) => {
    expect(composeProblems(read(`docs/examples/${file}`))).toEqual([])
  })

  it.each<[from: string, to: string, where: RegExp]>([
    ['read_only: true', 'readonly: true', /^\/services\/toolyard: .*readonly/],
    ['cap_drop: [ALL]', 'cap_drop: ALL', /^\/services\/toolyard\/cap_drop: must be array/],
    ['config: [{ subnet', 'config: [{ subnets', /^\/networks\/inside\/ipam\/config\/0: .*subnets/],
    ['volumes:\n  data: {}', 'volumes:\n  data: []', /^\/volumes\/data: /],
  ])('are found wrong with %j as %j', (from, to, where) => {
    const text = read('docs/examples/compose.yaml')
    expect(text).toContain(from)
    expect(composeProblems(text.replace(from, to)).find((problem) => where.test(problem))).toBeDefined()
  })
})

describe('the Kubernetes manifests', () => {
  it.each(['kubernetes.yaml', 'kubernetes-migrate.yaml'])('%s is valid by the API', (file) => {
    expect(manifestProblems(read(`docs/examples/${file}`))).toBe('')
  })

  it.each<[from: string, to: string, problem: RegExp]>([
    ['runAsNonRoot: true', 'runAsNonRoot: yes please', /'string' is not assignable to type 'boolean \| undefined'/],
    ['periodSeconds: 2,', 'periodSecond: 2,', /"periodSecond"' does not exist in type 'Probe'/],
    ['selector: { matchLabels: { app: toolyard } }\n  # A new', '# A new', /'selector' is missing/],
    ['whenUnsatisfiable: ScheduleAnyway', 'whenUnsatisfied: ScheduleAnyway', /"whenUnsatisfied"' does not exist/],
  ])('are found wrong with %j as %j', (from, to, problem) => {
    const text = read('docs/examples/kubernetes.yaml')
    expect(text).toContain(from)
    expect(manifestProblems(text.replace(from, to))).toMatch(problem)
  })
})
