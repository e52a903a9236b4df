import type { Aliases } from './fields.ts'
import { agentTested } from './agent.ts'
import { app } from './app.ts'
import { auditRow, auditVerdict } from './audit.ts'
import { budget } from './budget.ts'
import { check } from './check.ts'
import { connection } from './connection.ts'
import { connectionName } from './connection-name.ts'
import { connectionLimits, connectionUsage } from './connection-report.ts'
import { deliveryPreview } from './delivery-preview.ts'
import { event, eventDetail, undecodable } from './event.ts'
import { layout } from '../layout.ts'
import { optionPage } from './form.ts'
import { gap } from './gap.ts'
import { hook } from './hook.ts'
import { integration } from './integration.ts'
import { job, preview } from './job.ts'
import { keysView, rotation } from './keys.ts'
import { notificationTarget } from './notification.ts'
import { policy } from './policy.ts'
import { problem } from './problem.ts'
import { dryRunDone, run, runDetail, runDone } from './run.ts'
import { server } from './server.ts'
import { session, signInCode } from './session.ts'
import { start, startDetail } from './start.ts'
import { stepSample } from './step-sample.ts'
import { subscription, subscriptionDetail } from './subscription.ts'
import { tenant } from './tenant.ts'
import { createdToken, token } from './token.ts'
import { usage } from './usage.ts'

/** Schemas that are named components of the OpenAPI document. */
export const componentSchemas = (aliases: Aliases) => ({
  Problem: problem(),
  Integration: integration(),
  RunDone: runDone(),
  DryRunDone: dryRunDone(),
  StepSample: stepSample(),
  OptionPage: optionPage(),
  Layout: layout(),
  Connection: connection(aliases),
  ConnectionLimits: connectionLimits(),
  ConnectionName: connectionName(),
  ConnectionUsage: connectionUsage(),
  Check: check(),
  App: app(),
  Run: run(),
  RunDetail: runDetail(),
  Budget: budget(),
  Usage: usage(),
  Tenant: tenant(),
  Token: token(),
  AuditRow: auditRow(),
  AuditVerdict: auditVerdict(),
  CreatedToken: createdToken(),
  KeyRotation: rotation(),
  Keys: keysView(),
  NotificationTarget: notificationTarget(),
  Policy: policy(),
  Job: job(),
  JobPreview: preview(),
  Session: session(),
  SignInCode: signInCode(),
  Server: server(),
  Subscription: subscription(),
  SubscriptionDetail: subscriptionDetail(),
  AgentTested: agentTested(),
  DeliveryPreview: deliveryPreview(),
  Hook: hook(),
  Gap: gap(),
  Event: event(aliases),
  EventDetail: eventDetail(aliases),
  Start: start(),
  StartDetail: startDetail(),
  Undecodable: undecodable(),
})
