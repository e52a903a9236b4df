/** Containerfile, compose files and Kubernetes manifests: valid, and true of the server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { settings } from '../shared/setting-names.ts'
import { readConfiguration } from '../shared/settings.ts'
import { read } from './docs/pages.ts'
import { composeFile, instructionsOf, kubernetesObject, readImage, readYaml } from './support/container-files.ts'
import type { KubernetesObject, Pod } from './support/container-files.ts'

const image = readImage()
const compose = (file: string) => composeFile.parse(readYaml(read(`docs/examples/${file}`))[0])
const plain = compose('compose.yaml')
const withDatabase = compose('compose-postgresql.yaml')
const objectsIn = (file: string) =>
  readYaml(read(`docs/examples/${file}`)).map((object) => kubernetesObject.parse(object))
const objects = [...objectsIn('kubernetes.yaml'), ...objectsIn('kubernetes-migrate.yaml')]
const ofKind = <K extends KubernetesObject['kind']>(kind: K) =>
  objects.filter((object): object is Extract<KubernetesObject, { kind: K }> => object.kind === kind)
const pods: Pod[] = [...ofKind('Deployment'), ...ofKind('Job')].map(({ spec }) => spec.template)
const envOf = ({ spec }: Pod) => Object.fromEntries(spec.containers[0]!.env.map(({ name, value }) => [name, value]))

const folder = mkdtempSync(join(tmpdir(), 'toolyard-containers-'))
afterAll(() => rmSync(folder, { recursive: true }))
const secrets: Record<string, string> = {
  token: 'a-token-of-the-operator',
  'master-key': Buffer.alloc(32, 7).toString('base64'),
  'database-url': 'postgres://toolyard:secret@database:5432/toolyard',
}
/** What a server with these settings is configured with; its secrets have the modes that they are mounted with. */
const configurationOf = (env: Record<string, string>) => {
  const given = Object.entries({ ...image.env, ...env }).map(([name, value]): [string, string] => {
    if (!value.startsWith('/run/secrets/')) return [name, value]
    const secret = value.split('/').at(-1)!.replaceAll('_', '-')
    const file = join(folder, secret)
    writeFileSync(file, `${secrets[secret]}\n`, { mode: 0o644 })
    return [name, file]
  })
  return readConfiguration(Object.fromEntries(given), '/data')
}

const environments: [where: string, env: Record<string, string>][] = [
  ['Containerfile', image.env],
  ...[plain, withDatabase].flatMap(({ services }, n) =>
    Object.entries(services).map(([name, { environment = {} }]): [string, Record<string, string>] => [
      `service ${name} of compose file ${n + 1}`,
      environment,
    ]),
  ),
  ...pods.map((pod): [string, Record<string, string>] => [`pod ${pod.metadata.labels['app']}`, envOf(pod)]),
]

describe('the image', () => {
  it('has one base, with a tag that is as new as the Node of this checkout', () => {
    const { node } = (JSON.parse(read('package.json')) as { devDependencies: { node: string } }).devDependencies
    const base = image.all.filter(({ name }) => name === 'ARG').map(({ text }) => text)
    expect(base).toEqual([`NODE=docker.io/library/node:${node}-bookworm-slim`])
    expect(image.all.filter(({ name }) => name === 'FROM').map(({ text }) => text.split(' ')[0])).toEqual(
      Array.from({ length: 2 }, () => '${NODE}'),
    )
  })

  it('runs the server as process 1, as a user that is not root, with one volume', () => {
    expect(image.command).toEqual(['toolyard', 'serve'])
    expect(image.user).toMatch(/^[1-9]\d+:[1-9]\d+$/)
    expect([image.volume, image.directory, image.env['TMPDIR']]).toEqual(['/data', '/data', '/data'])
    const owned = image.all.filter(({ text }) => text.includes('--chown')).map(({ text }) => text.split(' ').at(-1))
    expect(owned).toEqual(['/data'])
  })

  it('starts with its settings, once it has a token', () => {
    expect(configurationOf({ TOOLYARD_TOKEN_FILE: '/run/secrets/token' })).toMatchObject({
      data: '/data',
      host: '0.0.0.0',
      port: image.port,
      production: true,
      logFormat: 'json',
      token: secrets['token'],
    })
  })

  it('gets nothing from this folder but the package', () => {
    expect(read('.dockerignore')).toBe('*\n!toolyard-*.tgz\n')
    const copied = image.all.filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from'))
    expect(copied.map(({ text }) => text)).toEqual(['toolyard-*.tgz /tmp/toolyard.tgz'])
  })
})

describe('settings', () => {
  it.each(environments)('of %s exist', (_where, env) => {
    const ours = Object.keys(env).filter((name) => /^(TOOLYARD_|DATABASE_)/.test(name))
    expect(ours.filter((name) => !Object.hasOwn(settings, name))).toEqual([])
    expect(Object.values(env).filter((value) => value.trim() === '')).toEqual([])
  })

  it('of the compose files start a server, with the database in the volume or in PostgreSQL', () => {
    const own = configurationOf(plain.services['toolyard']!.environment!)
    expect(own).toMatchObject({ token: secrets['token'], masterKey: secrets['master-key'], databaseUrl: undefined })
    const both = configurationOf({
      ...plain.services['toolyard']!.environment,
      ...withDatabase.services['toolyard']!.environment,
    })
    expect(both).toMatchObject({ token: secrets['token'], databaseUrl: secrets['database-url'] })
  })

  it('of the pods start a server and a migration', () => {
    expect(pods.map((pod) => configurationOf(envOf(pod)).databaseUrl)).toEqual([
      secrets['database-url'],
      secrets['database-url'],
    ])
    expect(configurationOf(envOf(pods[0]!))).toMatchObject({
      token: secrets['token'],
      masterKey: secrets['master-key'],
      publicUrl: 'https://tools.example.org',
    })
  })
})

describe('the compose files', () => {
  it('mount every secret, volume and network that a service uses, and no others', () => {
    for (const file of [plain, { ...plain, ...withDatabase, services: { ...withDatabase.services } }]) {
      const all = Object.values(file.services)
      const used = all.flatMap((service) => service.secrets ?? [])
      expect(Object.keys(file.secrets ?? {}).toSorted()).toEqual(used.toSorted())
      const volumes = all.flatMap((service) => (service.volumes ?? []).map((text) => text.split(':')[0]!))
      expect(Object.keys(file.volumes ?? {}).toSorted()).toEqual(volumes.toSorted())
      expect(all.flatMap((service) => service.networks ?? []).filter((name) => !file.networks?.[name])).toEqual([])
    }
    for (const { services } of [plain, withDatabase])
      for (const { environment = {}, secrets: mounted = [] } of Object.values(services))
        for (const value of Object.values(environment).filter((text) => text.startsWith('/run/secrets/')))
          expect(mounted).toContain(value.slice('/run/secrets/'.length))
  })

  it('write the volume of the image only, reach the port that it has, and wait until it has stopped', () => {
    const { toolyard } = plain.services
    expect([toolyard!.read_only, toolyard!.cap_drop, toolyard!.stop_grace_period]).toEqual([true, ['ALL'], '40s'])
    expect(toolyard!.volumes!.map((text) => text.split(':')[1])).toEqual([image.volume])
    expect(toolyard!.ports!.map((text) => text.split(':').at(-1))).toEqual([String(image.port)])
    const [network] = plain.networks!['inside']!.ipam.config
    expect(toolyard!.environment!['TOOLYARD_TRUSTED_PROXIES']).toBe(network!.gateway)
  })
})

describe('the Kubernetes manifests', () => {
  it('select the pods of the deployment', () => {
    const [deployment] = ofKind('Deployment')
    const wanted = deployment!.spec.template.metadata.labels
    const { spec } = deployment!.spec.template
    expect([
      ofKind('Service')[0]!.spec.selector,
      ofKind('PodDisruptionBudget')[0]!.spec.selector.matchLabels,
      deployment!.spec.selector.matchLabels,
      spec.topologySpreadConstraints![0]!.labelSelector.matchLabels,
    ]).toEqual(Array.from({ length: 4 }, () => wanted))
    // Requests must not go to the pod of a migration.
    expect(ofKind('Job')[0]!.spec.template.metadata.labels).not.toMatchObject(wanted)
    expect(ofKind('PodDisruptionBudget')[0]!.spec.minAvailable).toBeLessThan(deployment!.spec.replicas)
  })

  it('name ports, volumes and paths that exist', () => {
    const [server] = pods
    const { ports, startupProbe, livenessProbe, readinessProbe } = server!.spec.containers[0]!
    expect(ports).toEqual([{ name: ofKind('Service')[0]!.spec.ports[0]!.targetPort, containerPort: image.port }])
    const probes = [startupProbe!, livenessProbe!, readinessProbe!].map(({ httpGet }) => httpGet)
    expect(probes).toEqual(['/livez', '/livez', '/readyz'].map((path) => ({ path, port: 'http' })))
    for (const { spec } of pods) {
      const { volumeMounts } = spec.containers[0]!
      expect(volumeMounts.map(({ name }) => name)).toEqual(spec.volumes.map(({ name }) => name))
      expect(volumeMounts[0]!.mountPath).toBe(image.volume)
      expect([spec.securityContext.runAsUser, spec.securityContext.runAsGroup].join(':')).toBe(image.user)
      const files = spec.containers[0]!.env.filter(({ name }) => name.endsWith('_FILE')).map(({ value }) => value)
      expect(files.every((file) => file.startsWith(`${volumeMounts[1]!.mountPath}/`))).toBe(true)
      const { secret } = spec.volumes[1] as { secret: { secretName: string; defaultMode: number } }
      expect([secret.secretName, secret.defaultMode.toString(8)]).toEqual(['toolyard', '440'])
    }
  })

  it('wait longer than the server takes to stop, after what comes before it', () => {
    const { terminationGracePeriodSeconds, containers } = pods[0]!.spec
    const [, seconds] = containers[0]!.lifecycle!.preStop.exec.command
    // Leaving, agent starts in progress, and the end of everything else: "Stopping" in docs/operating.md.
    expect(terminationGracePeriodSeconds! - Number(seconds)).toBeGreaterThanOrEqual(40)
  })

  it('have one image, of this version, and a migration that is a command', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string }
    expect([...new Set(pods.map(({ spec }) => spec.containers[0]!.image))]).toEqual([
      `registry.example.org/toolyard:${version}`,
    ])
    expect(pods.map(({ spec }) => spec.containers[0]!.args)).toEqual([undefined, ['migrate']])
  })
})

describe('the checks', () => {
  it('find what is wrong', () => {
    expect(() => readYaml('a: 1\na: 2')).toThrow('unique')
    expect(() => readYaml('a: [1')).toThrow()
    const text = read('docs/examples/compose.yaml')
    const wrong = (from: string, to: string) => () => composeFile.parse(readYaml(text.replace(from, to))[0])
    expect(wrong('read_only', 'readOnly')).toThrow('readOnly')
    expect(wrong('40s', '40')).toThrow('stop_grace_period')
    const [service] = readYaml(read('docs/examples/kubernetes.yaml')) as [Record<string, unknown>]
    expect(() => kubernetesObject.parse({ ...service, apiVersion: 'v2' })).toThrow('apiVersion')
    expect(instructionsOf('# no\nRUN a \\\n  && b\nUSER x')).toEqual([
      { name: 'RUN', text: 'a && b' },
      { name: 'USER', text: 'x' },
    ])
  })
})
