// The routes of memberships and of their settings in a shop. docs/spec/back-office.md#subscriptions
import { subscriptionMove, subscriptionSettings } from '../objects/back-office.ts'
import { subscription } from '../objects/subscription.ts'
import { change, create, get, many, move, one } from './route.ts'

export const subscriptionRoutes = [
  create('/shops/{shop}/subscriptions', 'subscriptions.create', one(subscription), 'Starts a membership.'),
  get('/shops/{shop}/subscriptions', 'subscriptions.list', many(subscription), 'Memberships, newest first.'),
  get('/shops/{shop}/subscriptions/{id}', 'subscriptions.get', one(subscription), 'One membership.'),
  get(
    '/shops/{shop}/subscriptions/{id}/history',
    'subscriptions.history',
    many(subscriptionMove),
    'What was done to the membership, newest first.',
  ),
  move('/shops/{shop}/subscriptions/{id}/renew', 'subscriptions.renew', one(subscription), 'An interval was paid.'),
  move(
    '/shops/{shop}/subscriptions/{id}/payment-failed',
    'subscriptions.payment_failed',
    one(subscription),
    'A payment has failed.',
  ),
  move(
    '/shops/{shop}/subscriptions/{id}/cancel',
    'subscriptions.cancel',
    one(subscription),
    'The member stops at the end of the period.',
  ),
  move(
    '/shops/{shop}/subscriptions/{id}/resume',
    'subscriptions.resume',
    one(subscription),
    'The member stays after all.',
  ),
  move('/shops/{shop}/subscriptions/{id}/end', 'subscriptions.end', one(subscription), 'Ends a membership now.'),
  get(
    '/shops/{shop}/subscription-settings',
    'subscriptions.settings',
    one(subscriptionSettings),
    'What the shop has set for memberships.',
  ),
  change(
    '/shops/{shop}/subscription-settings',
    'subscriptions.change_settings',
    one(subscriptionSettings),
    'Changes the settings for memberships.',
  ),
]
