// The routes of orders: placing, reading, correcting, and one route a command. docs/spec/back-office.md#orders
import { orderMove } from '../objects/back-office.ts'
import { order } from '../objects/order.ts'
import { change, create, get, many, move, one } from './route.ts'

export const orderRoutes = [
  create('/shops/{shop}/orders', 'orders.place', one(order), 'Places an order.'),
  get('/shops/{shop}/orders', 'orders.list', many(order), 'Orders, newest first, each with its items.'),
  get('/shops/{shop}/orders/{id}', 'orders.get', one(order), 'One order.'),
  change(
    '/shops/{shop}/orders/{id}',
    'orders.change',
    one(order),
    'Corrects the address, the buyer or the private note.',
  ),
  get(
    '/shops/{shop}/orders/{id}/history',
    'orders.history',
    many(orderMove),
    'What was done to the order, newest first.',
  ),
  move('/shops/{shop}/orders/{id}/confirm', 'orders.confirm', one(order), 'Confirms an order.'),
  move('/shops/{shop}/orders/{id}/mark-paid', 'orders.mark_paid', one(order), 'The money has arrived.'),
  move('/shops/{shop}/orders/{id}/payment-pending', 'orders.payment_pending', one(order), 'A payment is under way.'),
  move('/shops/{shop}/orders/{id}/payment-failed', 'orders.payment_failed', one(order), 'A payment has failed.'),
  move('/shops/{shop}/orders/{id}/ship', 'orders.ship', one(order), 'The parcel has left.'),
  move('/shops/{shop}/orders/{id}/complete', 'orders.complete', one(order), 'Completes an order.'),
  move('/shops/{shop}/orders/{id}/cancel', 'orders.cancel', one(order), 'Cancels an order, with or without a refund.'),
  move(
    '/shops/{shop}/orders/{id}/refund',
    'orders.refund',
    one(order),
    'Refunds money; without an amount all that is left.',
  ),
  move('/shops/{shop}/orders/{id}/dispute', 'orders.dispute', one(order), 'The buyer disputes the payment.'),
  move('/shops/{shop}/orders/{id}/resolve-dispute', 'orders.resolve_dispute', one(order), 'A dispute was won or lost.'),
  move('/shops/{shop}/orders/{id}/reschedule', 'orders.reschedule', one(order), 'Moves an appointment.'),
]
