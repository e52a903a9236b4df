import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { read } from '../docs/pages.ts'

/** The parts of a Containerfile, in order: `RUN` → what follows, with continued lines joined. */
export type Instruction = { name: string; text: string }
export const instructionsOf = (text: string): Instruction[] =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ name: line.slice(0, line.indexOf(' ')), text: line.slice(line.indexOf(' ') + 1) }))

/** What a process in the image gets: the instructions of its last stage. */
export const readImage = () => {
  const all = instructionsOf(read('Containerfile'))
  const last = all.slice(all.findLastIndex(({ name }) => name === 'FROM'))
  const textOf = (wanted: string) => last.findLast(({ name }) => name === wanted)?.text ?? ''
  const env = Object.fromEntries(
    textOf('ENV')
      .split(/\s+/)
      .map((pair): [string, string] => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
  const words = (wanted: string) => JSON.parse(textOf(wanted)) as string[]
  return {
    all,
    env,
    user: textOf('USER'),
    volume: textOf('VOLUME'),
    port: Number(textOf('EXPOSE')),
    directory: textOf('WORKDIR'),
    command: [...words('ENTRYPOINT'), ...words('CMD')],
    health: JSON.parse(/ CMD (\[.*\])$/.exec(` ${textOf('HEALTHCHECK')}`)![1]!) as string[],
  }
}

/** Every document of a YAML file. Anything that parsers disagree about is an error: a key twice, a wrong indent. */
export const readYaml = (text: string): unknown[] =>
  parseAllDocuments(text, { strict: true, uniqueKeys: true }).map((document) => {
    const [problem] = [...document.errors, ...document.warnings]
    if (problem) throw problem
    return document.toJS() as unknown
  })

const duration = z.string().regex(/^\d+(ms|s|m|h)$/)
const size = z.string().regex(/^\d+(b|k|m|g)$/)
const texts = z.array(z.string())

/** Compose files, in the fields that ours use: https://github.com/compose-spec/compose-spec */
const service = z.strictObject({
  image: z.string().optional(),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']).optional(),
  read_only: z.boolean().optional(),
  cap_drop: texts.optional(),
  security_opt: z.array(z.enum(['no-new-privileges:true'])).optional(),
  stop_grace_period: duration.optional(),
  shm_size: size.optional(),
  mem_limit: size.optional(),
  pids_limit: z.int().optional(),
  ports: z.array(z.string().regex(/^127\.0\.0\.1:\d+:\d+$/)).optional(),
  environment: z.record(z.string().regex(/^[A-Z_]+$/), z.string()).optional(),
  secrets: texts.optional(),
  volumes: z.array(z.string().regex(/^[a-z]+:\/\S+$/)).optional(),
  networks: texts.optional(),
  depends_on: z
    .record(
      z.string(),
      z.strictObject({ condition: z.enum(['service_started', 'service_healthy', 'service_completed_successfully']) }),
    )
    .optional(),
  healthcheck: z
    .strictObject({
      test: z.tuple([z.enum(['CMD', 'CMD-SHELL', 'NONE'])], z.string()),
      interval: duration,
      timeout: duration,
      retries: z.int(),
      start_period: duration,
    })
    .optional(),
})
const pool = z.strictObject({ subnet: z.cidrv4(), gateway: z.ipv4() })
export const composeFile = z.strictObject({
  name: z.string().optional(),
  services: z.record(z.string(), service),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })).optional(),
  volumes: z.record(z.string(), z.strictObject({})).optional(),
  networks: z.record(z.string(), z.strictObject({ ipam: z.strictObject({ config: z.array(pool) }) })).optional(),
})
export type ComposeFile = z.infer<typeof composeFile>

const named = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
const labels = z.record(z.string(), z.string())
const metadata = z.strictObject({ name: named, labels })
const selector = z.strictObject({ matchLabels: labels })
const quantity = z.string().regex(/^\d+(m|Ki|Mi|Gi)?$/)
const amounts = z.strictObject({ cpu: quantity.optional(), memory: quantity.optional() })
const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string().startsWith('/'), port: named }),
  periodSeconds: z.int().min(1),
  timeoutSeconds: z.int().min(1).optional(),
  failureThreshold: z.int().min(1),
})
const container = z.strictObject({
  name: named,
  image: z.string(),
  args: texts.optional(),
  ports: z.array(z.strictObject({ name: named.max(15), containerPort: z.int() })).optional(),
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  resources: z.strictObject({ requests: amounts, limits: amounts }),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  lifecycle: z.strictObject({ preStop: z.strictObject({ exec: z.strictObject({ command: texts }) }) }).optional(),
  volumeMounts: z.array(
    z.strictObject({ name: named, mountPath: z.string().startsWith('/'), readOnly: z.boolean().optional() }),
  ),
})
const volume = z.union([
  z.strictObject({ name: named, emptyDir: z.strictObject({ sizeLimit: quantity }) }),
  z.strictObject({
    name: named,
    secret: z.strictObject({ secretName: named, defaultMode: z.int().min(0).max(0o777) }),
  }),
])
const pod = z.strictObject({
  metadata: z.strictObject({ labels }),
  spec: z.strictObject({
    restartPolicy: z.enum(['Always', 'OnFailure', 'Never']).optional(),
    automountServiceAccountToken: z.boolean(),
    enableServiceLinks: z.boolean(),
    terminationGracePeriodSeconds: z.int().optional(),
    securityContext: z.strictObject({
      runAsNonRoot: z.literal(true),
      runAsUser: z.int(),
      runAsGroup: z.int(),
      fsGroup: z.int(),
      seccompProfile: z.strictObject({ type: z.enum(['RuntimeDefault', 'Unconfined', 'Localhost']) }),
    }),
    topologySpreadConstraints: z
      .array(
        z.strictObject({
          maxSkew: z.int().min(1),
          topologyKey: z.string(),
          whenUnsatisfiable: z.enum(['ScheduleAnyway', 'DoNotSchedule']),
          labelSelector: selector,
        }),
      )
      .optional(),
    containers: z.array(container).length(1),
    volumes: z.array(volume),
  }),
})
export type Pod = z.infer<typeof pod>

const amountOrShare = z.union([z.int(), z.string().regex(/^\d+%$/)])

/** Kubernetes objects, in the fields that ours use: https://kubernetes.io/docs/reference/kubernetes-api/ */
export const kubernetesObject = z.discriminatedUnion('kind', [
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('Service'),
    metadata,
    spec: z.strictObject({
      selector: labels,
      ports: z.array(z.strictObject({ name: named, port: z.int(), targetPort: named })),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('policy/v1'),
    kind: z.literal('PodDisruptionBudget'),
    metadata,
    spec: z.strictObject({ minAvailable: amountOrShare, selector }),
  }),
  z.strictObject({
    apiVersion: z.literal('apps/v1'),
    kind: z.literal('Deployment'),
    metadata,
    spec: z.strictObject({
      replicas: z.int(),
      selector,
      strategy: z.strictObject({
        type: z.literal('RollingUpdate'),
        rollingUpdate: z.strictObject({ maxSurge: amountOrShare, maxUnavailable: amountOrShare }),
      }),
      template: pod,
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('batch/v1'),
    kind: z.literal('Job'),
    metadata,
    spec: z.strictObject({
      backoffLimit: z.int(),
      activeDeadlineSeconds: z.int(),
      ttlSecondsAfterFinished: z.int(),
      template: pod,
    }),
  }),
])
export type KubernetesObject = z.infer<typeof kubernetesObject>
