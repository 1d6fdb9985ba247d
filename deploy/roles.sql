-- Database roles of production: one login for each service with rights on its own schema only, and an owner for migrations.
-- Run it in the product's database as a superuser once, and again whenever a service is added; existing roles stay as they are:
--   psql "$SUPERUSER_URL" -f deploy/roles.sql
-- Then set a password for each login (alter role storefront_orders password '...') and a URL for each service. The settings
-- belong to the role because a pooler such as PgBouncer drops those that a client sends (docs/guides/operators.md, Pooler).
do $$
declare
  -- BEGIN services: written by `npm run generate` from deploy/services.json.
  schemas constant text[] := array['auth', 'catalog', 'contacts', 'orders', 'subscriptions', 'webhooks'];
  -- END services
  service text;
  login text;
begin
  if not exists (select from pg_roles where rolname = 'storefront_owner') then
    create role storefront_owner;
  end if;
  alter role storefront_owner login createrole;
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect, create on database %I to storefront_owner', current_database());
  revoke create on schema public from public;

  foreach service in array schemas loop
    login := 'storefront_' || service;
    if not exists (select from pg_roles where rolname = login) then
      execute format('create role %I', login);
    end if;
    execute format('alter role %I login', login);
    execute format('grant connect on database %I to %I', current_database(), login);
    execute format('alter role %I in database %I set search_path = %I', login, current_database(), service);
    execute format('alter role %I in database %I set timezone = %L', login, current_database(), 'UTC');
    execute format('alter role %I in database %I set statement_timeout = %L', login, current_database(), '15s');
    -- A dead writer must not hold back the polls of its shop.
    execute format('alter role %I in database %I set idle_in_transaction_session_timeout = %L', login, current_database(), '20s');
    execute format('alter role %I in database %I set random_page_cost = 1.1', login, current_database());
    -- Every statement of these has its index, so none is planned by row counts (isByIndex in their service.ts).
    if service in ('catalog', 'orders', 'subscriptions', 'webhooks') then
      execute format('alter role %I in database %I set enable_seqscan = off', login, current_database());
      execute format('alter role %I in database %I set plan_cache_mode = force_generic_plan', login, current_database());
    end if;
    -- Lets the migration act as the role that owns the schema.
    execute format('grant %I to storefront_owner', login);
    if not exists (select from pg_namespace where nspname = service) then
      execute format('create schema %I authorization %I', service, login);
    end if;
  end loop;
end
$$;
