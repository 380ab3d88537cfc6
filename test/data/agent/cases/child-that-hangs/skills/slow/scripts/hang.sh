#!/bin/sh
cat >/dev/null
sleep 1000 &
wait
